// Where the program's own files are: modules that threads and other processes are started with, and what lies beside them.
//
// A clone runs the sources as they are; in the npm package they are bundled into few files, which load several times as fast
// (scripts/build.ts). This is the one place that asks where it lies, and so whether it is the one or the other. A module that is
// named here is an entry of the bundle and keeps its place.

export const isCompiled = import.meta.url.endsWith('.js')
/** src/, or dist/ in the package, where this is a part of some file in dist/chunks/: one folder below it, as here. */
const folder = new URL('../', import.meta.url)

/** By its path below src/, without its ending. */
export function programModule(path: string): URL {
  return new URL(`${path}.${isCompiled ? 'js' : 'ts'}`, folder)
}

/** What is no module: by its path below src/. */
export function programFile(path: string): URL {
  return new URL(path, folder)
}
