// The stream of changes as one consumer reads it: from any peer, and from the next one, with the same cursor, when that one is killed.

import type { DemoChange } from '../ui/screens/demo/demo-state.ts'
import type { DemoNetwork } from './demo-network.ts'

/** Of a newcomer to the page. */
const keptMax = 100
const againMs = 500
/** Events come again after a change of peers. */
const seenMax = 10_000

export class DemoChanges {
  readonly #network: DemoNetwork
  readonly #listeners = new Set<(change: DemoChange) => void>()
  readonly #stopped = new AbortController()
  readonly #seen = new Set<string>()
  #kept: DemoChange[] = []
  #cursor: string | undefined

  constructor(network: DemoNetwork) {
    this.#network = network
  }

  /** The newest, oldest first. */
  get kept(): readonly DemoChange[] {
    return this.#kept
  }

  listen(listener: (change: DemoChange) => void, until: AbortSignal): void {
    this.#listeners.add(listener)
    until.addEventListener('abort', () => this.#listeners.delete(listener))
  }

  async run(): Promise<void> {
    const { signal } = this.#stopped
    while (!signal.aborted) {
      await this.#follow(signal).catch(() => undefined)
      if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }

  stop(): void {
    this.#stopped.abort()
  }

  /** Of the last one that runs: the first is the one that is asked for everything else. */
  async #follow(signal: AbortSignal): Promise<void> {
    const peer = this.#network.running.at(-1)
    if (peer?.url === undefined) return
    const query = new URLSearchParams({
      cursors: 'true',
      documents: 'true',
      ...(this.#cursor !== undefined && { since: this.#cursor }),
    })
    const { body, ok, status } = await fetch(`${peer.url}/api/v1/changes?${query}`, {
      headers: { Accept: 'application/x-ndjson' },
      signal,
    })
    // Its place in the stream is not kept any more: from the start, and what was seen is left out.
    if (status === 410) this.#cursor = undefined
    if (!ok || body === null) return
    let rest = ''
    for await (const text of body.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n')
      rest = lines.pop()!
      for (const line of lines) if (line !== '') this.#take(JSON.parse(line), peer.name)
    }
  }

  #take(read: Partial<DemoChange> & { cursor?: string }, from: string): void {
    this.#cursor = read.cursor ?? this.#cursor
    if (read.id === undefined || this.#seen.has(read.id)) return
    this.#seen.add(read.id)
    if (this.#seen.size > seenMax) this.#seen.delete(this.#seen.values().next().value!)
    const { id, kind = '', url = '', site = '', time = '', cosmetic = false, title, wordShare } = read
    const change: DemoChange = {
      ...{ id, kind, url, site, time, cosmetic, from },
      ...(title !== undefined && { title }),
      ...(wordShare !== undefined && { wordShare }),
    }
    this.#kept = [...this.#kept, change].slice(-keptMax)
    for (const listener of this.#listeners) listener(change)
  }
}
