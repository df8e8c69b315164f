// Bundles src/ into dist/: Node does not strip types under node_modules, and loads few files several times as fast as the hundreds
// that there are. Not made small: whoever reads the stack of a fault finds names and the paths of the sources. Packages stay
// packages.
//
// The sandboxed process of a volunteer is a file by itself, and so is `polyhistor url`: build-volunteer.ts, build-url.ts.
//
// Entries keep their paths. All else lies in chunks/, for program-files.ts must know how deep it lies: no entry may hold it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'
import { buildUrl } from './build-url.ts'
import { buildVolunteer } from './build-volunteer.ts'
import { programEntries } from './program-entries.ts'

const root = join(import.meta.dirname, '..')

export async function buildProgram(outDir = join(root, 'dist')): Promise<void> {
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    build: {
      ssr: true,
      outDir,
      emptyOutDir: false,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input: Object.fromEntries(
          [...programEntries()].map((path) => [path, join(root, 'src', `${path}.ts`)]),
        ),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
        },
      },
    },
  })
  for (const path of programEntries())
    assert(
      !readFileSync(join(outDir, `${path}.js`), 'utf8').includes('import.meta.url'),
      `${path} lies deeper`,
    )
  await buildVolunteer(outDir)
  await buildUrl(outDir)
}
