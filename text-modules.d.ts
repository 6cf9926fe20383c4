/** Files that wrangler.toml bundles as text (`rules`, type `Text`). */
declare module "*.yaml" {
  const text: string;
  export default text;
}
