// A site that vite builds from sources/NAME, as its authors would publish it: split, minified, named by hashes.

import { join } from 'node:path'
import { build } from 'vite'
import type { Answers } from '../../replay/origin-web.ts'
import { typeOf } from './real-site.ts'

/** What is to be served below `host`. */
export async function builtSite(host: string, source: string): Promise<Answers> {
  // vite leaves it set, and commands that are started later would install no tools.
  const { NODE_ENV } = process.env
  const built = await build({
    root: join(import.meta.dirname, 'sources', source),
    configFile: false,
    logLevel: 'error',
    define: { __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false' },
    resolve: { alias: { vue: 'vue/dist/vue.esm-bundler.js' } },
    worker: { format: 'es' },
    build: { write: false, assetsInlineLimit: 0, modulePreload: { polyfill: true } },
  })
  if (NODE_ENV === undefined) delete process.env.NODE_ENV
  else process.env.NODE_ENV = NODE_ENV
  const answers: Record<string, Answers[string]> = {}
  for (const { output } of [built].flat() as { output: BuiltFile[] }[])
    for (const file of output) {
      const answer = {
        headers: { 'Content-Type': typeOf(file.fileName) },
        body: file.type === 'chunk' ? file.code : file.source,
      }
      answers[`${host}/${file.fileName}`] = answer
      if (file.fileName === 'index.html') answers[`${host}/`] = answer
    }
  return answers
}

type BuiltFile =
  | { readonly type: 'chunk'; readonly fileName: string; readonly code: string }
  | { readonly type: 'asset'; readonly fileName: string; readonly source: string | Uint8Array }
