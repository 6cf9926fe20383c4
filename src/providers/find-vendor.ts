import { VENDORS, type ApiName, type Vendor } from "./vendors";

/** The vendor of a name or alias; capitals do not matter. */
export function findVendor(name: string): Vendor | undefined {
  const wanted = name.trim().toLowerCase();
  return VENDORS.find((vendor) => vendor.name === wanted || vendor.aliases.includes(wanted));
}

/** What a person names as a model: `model`, or `vendor:model`. */
export interface ModelName {
  readonly vendor?: Vendor;
  readonly model: string;
}

/**
 * Reads `vendor:model`. Colons stand in models' own names too (`qwen3:8b`, `…:free`): only what stands before the first
 * one and is a vendor's name is taken for one.
 */
export function parseModelName(text: string): ModelName {
  const [before = "", ...after] = text.trim().split(":");
  const vendor = after.length === 0 ? undefined : findVendor(before);
  return vendor === undefined ? { model: text.trim() } : { vendor, model: after.join(":").trim() };
}

/** The vendors that made a model, going by its name; none for models that many host. */
export function makersOf(model: string): readonly Vendor[] {
  const name = model.trim();
  const prefix = name.includes("/") ? name.slice(0, name.indexOf("/")).toLowerCase() : undefined;
  if (prefix !== undefined) return VENDORS.filter((vendor) => vendor.prefixes?.includes(prefix) === true);
  return VENDORS.filter((vendor) => vendor.models?.test(name) === true);
}

/** A model's name as a vendor spells it: without its own prefix there, and with the maker's at a router. */
export function modelAt(vendor: Vendor, model: string): string {
  if (vendor.isRouter === true) return atRouter(model);
  const prefix = vendor.prefixes?.find((each) => model.toLowerCase().startsWith(`${each}/`));
  const own = prefix === undefined ? model : model.slice(prefix.length + 1);
  return vendor.hyphens === true && vendor.models?.test(own) === true ? own.replaceAll(".", "-") : own;
}

/** How a vendor's model is spoken to. */
export function apiOf(vendor: Vendor, model: string): ApiName {
  return vendor.apiOf?.find(([models]) => models.test(model))?.[1] ?? vendor.api;
}

function atRouter(model: string): string {
  if (model.includes("/")) return model;
  const [maker] = makersOf(model);
  const [prefix] = maker?.prefixes ?? [];
  if (maker === undefined || prefix === undefined) return model;
  const spelled = maker.hyphens === true ? model.replace(/-(\d)-(\d)(?=$|:)/, "-$1.$2") : model;
  return `${prefix}/${spelled}`;
}
