import { expect, it } from "vitest";
import { NO_PROFILE_HOOKS } from "#src/domain/profile-hooks";

it("begins switched on, with nothing that could run", () => {
  expect(NO_PROFILE_HOOKS).toEqual({
    sources: [],
    approvals: [],
    isOn: true,
    disabled: [],
    quarantined: [],
    circuits: {},
    failing: {},
    modules: [],
    seed: "",
    renewals: {},
  });
});
