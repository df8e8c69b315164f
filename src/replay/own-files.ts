// Own files: what replayed pages load from us, under a path that no capture can have.
//
// The scripts of in-page/ are modules for those who read and check them, and one plain script for a page, which must run it
// before anything else: put behind wombat, in the order of inPageFiles, with their imports and exports taken away.

import type { HttpAnswer } from '../platform/network/http-server.ts'
import type { Header } from './archived-head.ts'
import { ownFilesPath } from './replay-origins.ts'
import { assignFunction, scopeNames } from './rewrite/script-names.ts'

/** Of in-page/, what pages and workers keep in memory. */
const storageFiles = [
  'database-keys.js',
  'database-records.js',
  'database-requests.js',
  'database-stores.js',
  'databases.js',
  'caches.js',
] as const

/** Of in-page/, each before those that import it. */
export const inPageFiles = [
  'page-facts.js',
  ...storageFiles,
  'storage.js',
  'doors.js',
  'kept-functions.js',
  'inner-documents.js',
  'hidden-shadows.js',
  'trusted-texts.js',
  'missing-parts.js',
  'workers.js',
  'address.js',
  'blank-frames.js',
  'other-windows.js',
  'images.js',
  'imports.js',
  'made-functions.js',
  'made-maps.js',
  'made-sheets.js',
  'sprites.js',
  'report.js',
  'start.js',
] as const

/** Of in-page/, those for workers: put behind wombat's half for workers in the same way. */
export const inWorkerFiles = [...storageFiles, 'missing-parts.js', 'workers.js', 'worker-start.js'] as const

/** Read by `app/`: this folder touches no disk. */
export interface OwnFileSources {
  /** `@webrecorder/wombat`, for pages and for workers. */
  readonly wombat: string
  readonly wombatWorkers: string
  /** Those of inPageFiles, in that order. */
  readonly inPage: readonly string[]
  /** Those of inWorkerFiles, in that order. */
  readonly inWorker: readonly string[]
}

export class OwnFiles {
  readonly #files: ReadonlyMap<string, Uint8Array>

  constructor({ wombat, wombatWorkers, inPage, inWorker }: OwnFileSources) {
    this.#files = new Map([
      ['start.js', oneScript(wombat, inPage)],
      ['worker.js', oneScript(wombatWorkers, inWorker)],
      ['scope.js', Buffer.from(scopeModule)],
    ])
  }

  /** undefined where the target is none of ours. */
  answer(target: string, headers: readonly Header[]): HttpAnswer | undefined {
    if (!target.startsWith(ownFilesPath)) return undefined
    const name = target.slice(ownFilesPath.length).split(/[?#]/, 1)[0]!
    const body = this.#files.get(name)
    if (body === undefined) return { status: 404, headers, body: undefined }
    return {
      status: 200,
      headers: [
        ['Content-Type', 'text/javascript; charset=utf-8'],
        ['Cache-Control', 'public, max-age=3600'],
        ...headers,
      ],
      body,
    }
  }
}

function oneScript(wombat: string, modules: readonly string[]): Buffer {
  return Buffer.from(`${wombat}\n;(()=>{'use strict';\n${modules.map(withoutModules).join('\n')}})();\n`)
}

/** Also without what only its readers need: comments that stand on lines of their own, and indentation. */
function withoutModules(source: string): string {
  return source
    .replace(/^import\s[^'"]*\sfrom '\.\/[\w-]+\.js'$/gm, '')
    .replace(/^export (?=const|let|class|function)/gm, '')
    .replace(/^[ \t]*\/\*\*[\s\S]*?\*\/$/gm, '')
    .replace(/^[ \t]*\/\/.*$/gm, '')
    .replace(/^[ \t]+/gm, '')
    .replace(/\n{2,}/g, '\n')
}

/** For modules, which cannot be put into a block: they import the names. */
const scopeModule =
  `const of=(name)=>(self._wb_wombat&&self._wb_wombat.local_init&&self._wb_wombat.local_init(name))||self[name];\n` +
  `self.${assignFunction}??=of;\n` +
  scopeNames.map((name) => `const _${name}=of('${name}');export{_${name} as ${name}};\n`).join('')
