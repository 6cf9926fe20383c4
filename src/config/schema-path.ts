import * as z from "zod";
import { configSchema } from "./schema";

/** The schema of one place in config.yaml, without the default around it; undefined where no setting can be. */
export function schemaAt(path: readonly string[]): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = configSchema();
  for (const key of path) schema = schema === undefined ? undefined : memberOf(bare(schema), key);
  return schema === undefined ? undefined : bare(schema);
}

/** The names of the settings within a section; empty for a setting, and for sections whose names are free. */
export function keysAt(path: readonly string[]): readonly string[] {
  const schema = schemaAt(path);
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

/** Every setting and section with a name of its own, as its path. */
export function allPaths(under: readonly string[] = []): readonly string[] {
  return keysAt(under).flatMap((key) => [[...under, key].join("."), ...allPaths([...under, key])]);
}

function memberOf(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodRecord) return key === "__proto__" ? undefined : schema.valueType;
  if (!(schema instanceof z.ZodObject)) return undefined;
  if (Object.hasOwn(schema.shape, key)) return schema.shape[key];
  const { catchall } = schema.def;
  return catchall === undefined || catchall instanceof z.ZodNever || key === "__proto__" ? undefined : catchall;
}

/** The section or setting itself, without what fills in its defaults. */
function bare(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPrefault) return bare(schema.unwrap());
  if (schema instanceof z.ZodPipe && schema.in instanceof z.ZodPrefault) return bare(schema.in);
  return schema;
}
