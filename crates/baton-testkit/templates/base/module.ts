// {{title}} on the web desk.
import { euros } from "./format";

export interface Row {
  berth: number;
  cents: number;
}

export function show(row: Row): string {
  return `berth ${row.berth}: ${euros(row.cents)}`;
}

export function sum(rows: Row[]): number {
  return rows.reduce((cents, row) => cents + row.cents, 0);
}
