// What of the program is started by its path, and so keeps it in the bundle: the command, the libraries that package.json names, and
// modules of threads and other processes, which the program names by `programModule`. And the rule that makes this enough: nobody else asks where it lies.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const src = join(root, 'src')
const sources = globSync('**/*.ts', { cwd: src }).filter(
  (file) => !/\.(test|fuzz|contract)\.ts$|fixtures\//.test(file),
)

/** Paths below src/, without endings. */
export function programEntries(): Set<string> {
  const named = sources.flatMap((file) =>
    [...codeOf(file).matchAll(/\bprogramModule\('([^']+)'\)/g)].map(([, path]) => path!),
  )
  return new Set(['cli/main', ...libraries(), ...named])
}

function libraries(): string[] {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    exports: Record<string, string | { default: string }>
  }
  return Object.values(exports).flatMap((to) =>
    typeof to === 'string' ? [] : [to.default.replace(/^\.\/dist\/|\.js$/g, '')],
  )
}

/** Sources that find files from where they lie, which in a bundle is somewhere else. */
export function placedSources(): string[] {
  return sources.filter((file) => /import\.meta\.(dir|file)name|,\s*import\.meta\.url/.test(codeOf(file)))
}

function codeOf(file: string): string {
  return readFileSync(join(src, file), 'utf8').replace(/^ *(\/\/|\/?\*).*$/gm, '')
}
