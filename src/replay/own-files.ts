// Own files: what replayed pages load from us, under a path that no capture can have.

import type { HttpAnswer } from '../world/http-server.ts'
import type { Header } from './archived-head.ts'
import { ownFilesPath } from './replay-origins.ts'
import { assignFunction, scopeNames } from './rewrite/script-names.ts'

/** Read by a joint: this folder touches no disk. */
export interface OwnFileSources {
  /** `@webrecorder/wombat`, for pages and for workers. */
  readonly wombat: Uint8Array
  readonly wombatWorkers: Uint8Array
  /** in-page/start.js */
  readonly start: Uint8Array
}

export class OwnFiles {
  readonly #files: ReadonlyMap<string, Uint8Array>

  constructor({ wombat, wombatWorkers, start }: OwnFileSources) {
    this.#files = new Map([
      // In one file: a page waits for it before anything else.
      ['start.js', Buffer.concat([wombat, Buffer.from('\n;\n'), start])],
      ['wombatWorkers.js', wombatWorkers],
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

/** For modules, which cannot be put into a block: they import the names. */
const scopeModule =
  `const of=(name)=>(self._wb_wombat&&self._wb_wombat.local_init&&self._wb_wombat.local_init(name))||self[name];\n` +
  `self.${assignFunction}??=of;\n` +
  scopeNames.map((name) => `const _${name}=of('${name}');export{_${name} as ${name}};\n`).join('')
