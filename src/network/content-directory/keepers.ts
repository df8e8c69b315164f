// Those who should keep contents: asked whether they have them, told to hold them before another copy is spared, and to let them
// go. Many contents in one message to each peer.
//
// A content came with a capture, and the peers that keep the captures of its site have it. It is safe when as many of them
// have it as a capture needs copies to count as kept.

import { unlessFails } from '../../errors.ts'
import { flags } from '../../formats/wire/message-fields.ts'
import { digestHex } from '../../model/digest.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { Batchers, momentMs } from '../../platform/batcher.ts'
import type { Clock } from '../../platform/clock.ts'
import type { PeerId } from '../../platform/network/network.ts'
import { acknowledgementsNeeded } from '../replication/copies/acknowledgement.ts'
import type { ContentPlace } from './content-row.ts'
import type { ContentCalls, ContentPlaces, OwnContents } from './needs.ts'
import { contentQuestion, type HeldAt, itemsMax } from './questions.ts'

/** `safe`: enough have it. `lost`: all who should have it say that they have not. `unsure`: neither. */
export type Safety = 'safe' | 'lost' | 'unsure'

interface Needs {
  readonly clock: Clock
  readonly places: ContentPlaces
  readonly calls: ContentCalls
  readonly own: OwnContents
}

interface KeepersOptions {
  readonly copiesMin: number
  readonly callMs: number
}

type Request = 'have' | 'hold' | 'let-go'
type Asking = Batchers<PeerId, HeldAt, boolean>

/** Popular contents are found again and again: so long it is believed that they are still there. */
const safeMs = 30_000
const safeMax = 20_000

export class Keepers {
  readonly #needs: Needs
  readonly #options: KeepersOptions
  readonly #asking: Readonly<Record<Request, Asking>>
  /** When those who keep a content last said that they hold it, by digest and place. */
  readonly #safe = new LruCache<string, number>({ max: safeMax })

  constructor(needs: Needs, options: KeepersOptions) {
    this.#needs = needs
    this.#options = options
    const asking = (request: Request): Asking =>
      new Batchers(needs, { itemsMax, waitMs: momentMs }, (peer, items) =>
        this.#askPeer(peer, request, items),
      )
    this.#asking = { have: asking('have'), hold: asking('hold'), 'let-go': asking('let-go') }
  }

  /** Who keeps the capture that it came with has it. */
  heldAt({ digest, capture }: Pick<ContentPlace, 'digest' | 'capture'>): HeldAt {
    return { digest, place: this.#needs.places.placeOf(capture.url) }
  }

  /** Whether enough have it, and hold it from now on; as of a moment ago. */
  async isHeld(content: HeldAt): Promise<boolean> {
    const name = `${digestHex(content.digest)} ${content.place}`
    const nowMs = this.#needs.clock.monotonicMs()
    if ((this.#safe.get(name) ?? Number.NEGATIVE_INFINITY) > nowMs - safeMs) return true
    if ((await this.#ask('hold', content)) !== 'safe') return false
    this.#safe.set(name, nowMs)
    return true
  }

  /** Who has them holds them from now on. */
  hold(contents: readonly HeldAt[]): Promise<Safety[]> {
    return Promise.all(contents.map((content) => this.#ask('hold', content)))
  }

  /** The same, and nothing is held. */
  check(contents: readonly HeldAt[]): Promise<Safety[]> {
    return Promise.all(contents.map((content) => this.#ask('have', content)))
  }

  async letGo(contents: readonly HeldAt[]): Promise<void> {
    await Promise.all(contents.map((content) => this.#ask('let-go', content)))
  }

  async #ask(request: Request, content: HeldAt): Promise<Safety> {
    // Silence makes nothing safe, and nothing lost.
    const peers = (await unlessFails(this.#needs.places.keepersOf(content.place))) ?? []
    const asked = peers.map((peer) => unlessFails(this.#asking[request].add(peer, content)))
    const answers = await Promise.all(asked)
    const have = answers.filter((hasIt) => hasIt === true).length
    if (have > 0 && have >= acknowledgementsNeeded(this.#options.copiesMin, peers.length)) return 'safe'
    return peers.length > 0 && answers.every((hasIt) => hasIt === false) ? 'lost' : 'unsure'
  }

  async #askPeer(peer: PeerId, request: Request, items: readonly HeldAt[]): Promise<boolean[]> {
    const { places, calls, own } = this.#needs
    if (peer === places.self) return fulfil(own, request, items)
    const bytes = contentQuestion.encode({ kind: request, items })
    return flags.decode(await calls.call(peer, bytes, { deadlineMs: this.#options.callMs }), items.length)
  }
}

/** What another asks of our own store. */
export async function fulfil(
  own: OwnContents,
  request: Request,
  items: readonly HeldAt[],
): Promise<boolean[]> {
  if (request === 'hold') return own.hold(items)
  if (request === 'have') return items.map(({ digest }) => own.has(digest))
  await own.letGo(items.map(({ digest }) => digest))
  return items.map(() => true)
}
