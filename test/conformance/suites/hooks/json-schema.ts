/** The JSON Schema that acceptance cases use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

/** What is wrong with a value by a schema, in one clause that names the field; undefined when nothing is. */
export function schemaProblem(schema: unknown, value: unknown, path = "input"): string | undefined {
  // a schema is the operator's own
  const rules = schema as Schema;
  const types = rules.type === undefined ? [] : [rules.type].flat();
  if (types.length > 0 && !types.some((type) => isOfType(type, value))) return `${path} must be ${types.join(" or ")}`;
  if (rules.enum !== undefined && !rules.enum.includes(value)) return `${path} must be one of ${rules.enum.join(", ")}`;
  if (rules.const !== undefined && rules.const !== value) return `${path} must be ${JSON.stringify(rules.const)}`;
  if (typeof value === "string") return textProblem(rules, value, path);
  if (typeof value === "number") return numberProblem(rules, value, path);
  if (Array.isArray(value)) return itemsProblem(rules, value, path);
  return typeof value === "object" && value !== null ? objectProblem(rules, value, path) : undefined;
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  if (type === "integer") return Number.isInteger(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function textProblem({ minLength = 0, maxLength = Infinity, pattern }: Schema, value: string, path: string) {
  if (value.length < minLength || value.length > maxLength) return `${path} has a length that is not allowed`;
  return pattern !== undefined && !new RegExp(pattern, "u").test(value) ? `${path} must match ${pattern}` : undefined;
}

function numberProblem({ minimum = -Infinity, maximum = Infinity }: Schema, value: number, path: string) {
  return value < minimum || value > maximum ? `${path} is out of range` : undefined;
}

function itemsProblem({ items }: Schema, values: readonly unknown[], path: string): string | undefined {
  if (items === undefined) return undefined;
  return values.map((item, index) => schemaProblem(items, item, `${path}[${index}]`)).find((one) => one !== undefined);
}

function objectProblem(rules: Schema, value: object, path: string): string | undefined {
  const missing = (rules.required ?? []).find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) return `${path}.${missing} is missing`;
  return Object.entries(value)
    .map(([key, item]): string | undefined => {
      const known = rules.properties?.[key];
      if (known !== undefined) return schemaProblem(known, item, `${path}.${key}`);
      if (rules.additionalProperties === false) return `${path}.${key} is not known`;
      return typeof rules.additionalProperties === "object"
        ? schemaProblem(rules.additionalProperties, item, `${path}.${key}`)
        : undefined;
    })
    .find((one) => one !== undefined);
}
