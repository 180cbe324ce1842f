/** The drawing of an icon, without its `svg` element. Built in by `electron.vite.config.ts`. */
declare module '~icons/lucide/*' {
  const drawing: string;
  export default drawing;
}
