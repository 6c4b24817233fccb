// The pages of the web desk.
export const pages: string[] = [];
