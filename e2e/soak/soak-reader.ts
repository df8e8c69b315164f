// Readers of a network that is soaked: they replay, search, list and look, at any peer, and follow the changes.

import type { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { ArchivePeer } from '../network/archive-peer.ts'
import type { ChangingWeb } from './changing-web.ts'

const pauseMs = 500
const askMsMax = 60_000
/** Who follows the changes goes on at another peer after so long. */
const followMs = 120_000
const words = ['archive', 'water', 'river', 'house', 'people', 'history', 'music', 'garden']

export class SoakReader {
  /** By what was asked for. */
  readonly counts: Record<string, number> = {}
  readonly #peers: readonly ArchivePeer[]
  readonly #web: ChangingWeb
  readonly #random: SimulatedRandom
  readonly #stop: AbortSignal

  constructor(
    needs: { peers: readonly ArchivePeer[]; web: ChangingWeb; random: SimulatedRandom },
    stop: AbortSignal,
  ) {
    this.#peers = needs.peers
    this.#web = needs.web
    this.#random = needs.random
    this.#stop = stop
  }

  async run(): Promise<void> {
    await Promise.all([this.#read(), this.#follow()])
  }

  async #read(): Promise<void> {
    while (!this.#stop.aborted) {
      const url = this.#oneOf(this.#web.urls)
      const [what, path] = this.#oneOf([
        ['replayed', `/web/${url}`],
        ['replayed raw', `/web/2id_/${url}`],
        ['calendars', `/web/*/${url}`],
        ['searched', `/api/v1/search?q=${this.#oneOf(words)}`],
        ['listed', `/cdx/search/cdx?url=${new URL(url).hostname}&matchType=host&limit=200`],
        ['status', '/status'],
      ] as const)
      await this.#ask(what, path)
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  }

  async #ask(what: string, path: string): Promise<void> {
    const signal = AbortSignal.any([this.#stop, AbortSignal.timeout(askMsMax)])
    try {
      const response = await fetch(this.#oneOf(this.#peers).url + path, { signal })
      await response.arrayBuffer()
      // What was not crawled yet is not there.
      this.#count(
        response.ok ? what : response.status === 404 ? 'not there yet' : `${what}: ${response.status}`,
      )
    } catch (error) {
      if (!this.#stop.aborted) this.#count(`${what}: ${(error as Error).name}`)
    }
  }

  async #follow(): Promise<void> {
    let since = ''
    while (!this.#stop.aborted) {
      const signal = AbortSignal.any([this.#stop, AbortSignal.timeout(followMs)])
      const path = `/api/v1/changes?cursors=true${since === '' ? '' : `&since=${since}`}`
      try {
        const response = await fetch(this.#oneOf(this.#peers).url + path, { signal })
        let cut = ''
        for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
          const lines = (cut + part).split('\n')
          cut = lines.pop()!
          for (const line of lines.filter((text) => text !== '')) {
            const { cursor, id } = JSON.parse(line) as { cursor?: string; id?: string }
            since = cursor ?? since
            if (id !== undefined) this.#count('changes told')
          }
        }
      } catch {
        // Its time was over: the next peer goes on from the cursor.
      }
    }
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1
  }

  #oneOf<T>(values: readonly T[]): T {
    return values[this.#random.below(values.length)]!
  }
}
