import { expect, it } from "vitest";
import { reversed, rotated, spelledOut, withoutDisguise, withoutMarks } from "#src/safety/threats/unmask";

it("takes the marks from Latin, Greek and Arabic letters and leaves those that make another letter", () => {
  expect(withoutMarks("précédentes αγνόησε أوامر ディ й łø")).toBe("precedentes αγνοησε اوامر ディ й lo");
});

it("reads look-alikes, hidden joints, digits for letters and signs between words", () => {
  expect(withoutDisguise("іgnоrе")).toBe("ignore");
  expect(withoutDisguise("ig\u00ADno\u200Bre")).toBe("ignore");
  expect(withoutDisguise("1gn0re!")).toBe("ignore!");
  expect(withoutDisguise("ignore_previous")).toBe("ignore previous");
});

it("leaves numbers and addresses", () => {
  expect(withoutDisguise("port 8080 at https://a1.example")).toContain("8080");
  expect(withoutDisguise("2024")).toBe("2024");
});

it("joins words written letter by letter", () => {
  expect(spelledOut("say i g n o r e now")).toBe("ignore");
  expect(spelledOut("a b c")).toBe("");
});

it("turns letters back only where such words stand", () => {
  expect(rotated("vtaber vg")).toBe("ignore it");
  expect(rotated("ordinary words")).toBeUndefined();
  expect(reversed("erongi")).toBe("ignore");
  expect(reversed("ordinary words")).toBeUndefined();
});
