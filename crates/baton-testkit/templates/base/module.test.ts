import { expect, test } from "vitest";
import { show, sum } from "../src/{{slug}}";

test("a row shows its berth", () => expect(show({ berth: 7, cents: 1200 })).toContain("berth 7"));
test("a row shows its amount", () => expect(show({ berth: 7, cents: 1200 })).toContain("12.00"));
test("no rows make nothing", () => expect(sum([])).toBe(0));
test("one row makes its amount", () => expect(sum([{ berth: 1, cents: 5 }])).toBe(5));
test("rows add up", () => expect(sum([{ berth: 1, cents: 5 }, { berth: 2, cents: 6 }])).toBe(11));
test("credits count", () => expect(sum([{ berth: 1, cents: -5 }])).toBe(-5));
