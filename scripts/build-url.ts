// `polyhistor url` by itself as one file of CommonJS, which polyhistor.cjs starts: what it needs of Node beyond a bare start is `node:crypto`.
// Modules, the compile cache and the list of tldts each take longer than all that it does (docs/decisions/0136).

import { join } from 'node:path'
import { build } from 'vite'
import { asciiSource } from './ascii-source.ts'
import { suffixRules } from './url-bundle/suffix-rules.ts'

const root = join(import.meta.dirname, '..')
const own = join(import.meta.dirname, 'url-bundle')

export async function buildUrl(outDir: string): Promise<void> {
  await build({
    configFile: false,
    root,
    publicDir: false,
    logLevel: 'warn',
    plugins: [asciiSource()],
    resolve: {
      alias: [{ find: './public-suffixes.ts', replacement: join(own, 'public-suffixes.ts') }],
    },
    define: { publicSuffixRules: JSON.stringify(await suffixRules()) },
    build: {
      ssr: true,
      outDir: join(outDir, 'cli'),
      emptyOutDir: false,
      minify: false,
      target: 'node24',
      rolldownOptions: {
        input: { url: join(root, 'src/cli/url-alone.ts') },
        output: { format: 'cjs', codeSplitting: false, entryFileNames: '[name].cjs' },
      },
    },
  })
}
