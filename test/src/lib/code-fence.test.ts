import { expect, it } from "vitest";
import { closingLine, openingLine, readFenceLine } from "#src/lib/code-fence";

it.each([
  ["```ts", "```ts", "```"],
  ["~~~~ sh -x", "~~~~sh", "~~~~"],
  ["~~~ ~~~ x", "~~~x", "~~~"],
  ["  ```js", "  ```js", "  ```"],
  ["> > ```py", "> > ```py", "> > ```"],
  [">```", "> ```", "> ```"],
  ["- ```c", "  ```c", "  ```"],
  ["        ```c", "   ```c", "   ```"],
])("opens a fence by %j and can open and close it again", (line, opening, closing) => {
  const { fence, isMark } = readFenceLine(line, undefined);
  expect(isMark).toBe(true);
  expect(fence && [openingLine(fence), closingLine(fence)]).toEqual([opening, closing]);
});

it.each(["``x", "```a`b", "text ```", "`` ` ``"])("opens none by %j", (line) => {
  expect(readFenceLine(line, undefined)).toEqual({ fence: undefined, isMark: false });
});

it.each([
  ["```", true],
  ["`````  ", true],
  ["  ```\r", true],
  ["``", false],
  ["```js", false],
  ["~~~", false],
  ["- ```", false],
])("closes a fence of three backticks by %j: %s", (line, closes) => {
  const { fence } = readFenceLine("```", undefined);
  expect(readFenceLine(line, fence)).toEqual(closes ? { fence: undefined, isMark: true } : { fence, isMark: false });
});

it("ends a fence with its quotation", () => {
  const { fence } = readFenceLine("> ```", undefined);
  expect(readFenceLine("> code", fence).fence).toBe(fence);
  expect(readFenceLine("words", fence)).toEqual({ fence: undefined, isMark: false });
});
