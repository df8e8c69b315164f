// Fetches pages again for peers that crawl their sites, and signs what it saw. Nothing is kept here.
//
// The asker is in command of when: it holds the host's turn while it waits. So that nobody uses other peers to flood a server, each asker
// and each host has a budget, one page of a host is fetched at a time, and addresses are checked as for all that is crawled.

import { PolyhistorError } from '../../errors.ts'
import { tryParseUrl, type Url } from '../../model/url/url.ts'
import type { CallService } from '../../platform/calls/call-services.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { TokenBuckets } from '../announcements/token-buckets.ts'
import { type LookAnswer, lookAnswer, lookQuestion } from './corroboration-messages.ts'

interface Needs {
  readonly calls: CallService
  readonly clock: Clock
  /** Asks the server, and signs what came. */
  look(url: Url, signal: AbortSignal): Promise<LookAnswer>
}

const perAsker = { burst: 10, perMinute: 20 }
const perHost = { burst: 2, perMinute: 6 }
const underWayMax = 16

export class LookHandler {
  readonly #needs: Needs
  readonly #askers: TokenBuckets
  readonly #hosts: TokenBuckets
  readonly #busy = new Set<string>()
  readonly #stop = new AbortController()

  constructor(needs: Needs) {
    this.#needs = needs
    this.#askers = new TokenBuckets(() => needs.clock.monotonicMs())
    this.#hosts = new TokenBuckets(() => needs.clock.monotonicMs())
    needs.calls.answer(async (from, bytes) =>
      lookAnswer.encode(await this.#answer(from, lookQuestion.decode(bytes).url)),
    )
  }

  close(): void {
    this.#stop.abort(new Error('the peer stops'))
  }

  async #answer(from: PeerId, href: string): Promise<LookAnswer> {
    const url = tryParseUrl(href)
    if (url === null || !/^https?:$/.test(new URL(url.href).protocol)) return failed('bad-url')
    const isOver = this.#busy.size >= underWayMax || this.#busy.has(url.authority)
    if (isOver || !this.#askers.take(from, 1, perAsker) || !this.#hosts.take(url.authority, 1, perHost))
      return failed('busy')
    this.#busy.add(url.authority)
    try {
      return await this.#needs.look(url, this.#stop.signal)
    } catch (error) {
      if (!(error instanceof PolyhistorError) && !this.#stop.signal.aborted) throw error
      return failed('failed')
    } finally {
      this.#busy.delete(url.authority)
    }
  }
}

function failed(code: string): LookAnswer {
  return { kind: 'failed', code }
}
