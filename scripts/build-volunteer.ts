// The sandboxed process of a volunteer as one file, packages included, for it runs for weeks on machines that are used for other
// things. It idles in a third less memory than from the bundle of everything else (docs/decisions/0133).
//
// CommonJS: `import 'node:http'` reads each of its exports, and one of them loads a whole HTTP client. Only white space is taken out, so
// stacks tell functions. Licences of what is included lie beside it.

import { join } from 'node:path'
import { build } from 'vite'
import { asciiSource } from './ascii-source.ts'

const root = join(import.meta.dirname, '..')
const own = join(import.meta.dirname, 'volunteer-bundle')

/** What a volunteer can do without, or with less of. */
const inPlaceOf = {
  '@chainsafe/as-chacha20poly1305': 'chacha20-poly1305.ts',
  '@chainsafe/as-sha256': 'sha256.ts',
  './public-suffixes.ts': 'no-sites.ts',
}
/** Loaded when they are wanted, which a volunteer never does. */
const neverLoaded = ['@libp2p/mdns', '@achingbrain/nat-port-mapper']

export async function buildVolunteer(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    plugins: [asciiSource()],
    resolve: {
      alias: Object.entries(inPlaceOf).map(([find, file]) => ({ find, replacement: join(own, file) })),
    },
    ssr: { noExternal: true, external: neverLoaded },
    build: {
      ssr: true,
      // One folder below dist/, for program-files.ts.
      outDir: join(outDir, 'chunks'),
      emptyOutDir: false,
      target: 'node24',
      license: { fileName: 'volunteer.licenses.md' },
      rolldownOptions: {
        input: { volunteer: join(own, 'entry.ts') },
        output: {
          format: 'cjs',
          codeSplitting: false,
          entryFileNames: '[name].cjs',
          minify: { compress: false, mangle: false, codegen: true },
        },
      },
    },
  })
}
