/** Properties that may be undefined become optional ones. */
type OmitUndefined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** Drops the properties whose value is undefined, where an absent property means another thing. */
export function omitUndefined<const T extends object>(value: T): OmitUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as OmitUndefined<T>;
}
