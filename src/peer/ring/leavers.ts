// Leavers: who has left the network for good, by its own word, or by that of somebody who knows that it is dead. A notice each,
// so that nobody waits for it, and so that it counts again should it ever come back.

import { PolyhistorError } from '../../errors.ts'
import type { Notice } from '../../replica/notices/notice.ts'
import type { Notices } from '../../replica/notices/notices.ts'
import type { Log } from '../../world/log.ts'
import type { PeerId } from '../../world/network.ts'
import type { RingPlaces } from './ring-places.ts'

interface Needs {
  readonly notices: Notices
  readonly places: Pick<RingPlaces, 'self' | 'left' | 'away'>
  readonly log: Log
}

class NotAway extends PolyhistorError {
  constructor(message: string) {
    super('peer-not-away', message)
  }
}

const kind = 'left'
const gone = Buffer.from('gone')
const back = Buffer.from('back')
/** An ending of a peer's id that is as long as the status prints it. */
const endingMin = 8

export class Leavers {
  readonly #needs: Needs
  readonly #unlisten: () => void
  #isLeaving = false

  constructor(needs: Needs) {
    this.#needs = needs
    for (const notice of needs.notices.all(kind)) if (notice.name !== needs.places.self) this.#learn(notice)
    this.#unlisten = needs.notices.onChange((notice) => this.#learn(notice))
  }

  /** We are here, whatever we said before. */
  async begin(): Promise<void> {
    const { notices, places } = this.#needs
    if (notices.get(kind, places.self) !== undefined) await notices.put(kind, places.self, back)
  }

  async leave(): Promise<void> {
    const { notices, places } = this.#needs
    this.#isLeaving = true
    await notices.put(kind, places.self, gone).catch((error: unknown) => {
      this.#isLeaving = false
      throw error
    })
  }

  /** Of another: it will not come back, says its keeper. `peer`: its id, or the end of it. Only who is away can be forgotten. */
  async forget(peer: string): Promise<PeerId> {
    const { notices, places } = this.#needs
    const away = places.away().map((missed) => missed.peer)
    const found = away.filter((id) => id === peer || (peer.length >= endingMin && id.endsWith(peer)))
    if (found.length > 1) throw new NotAway(`Several peers that are away end in ${peer}: say more of it.`)
    const [id] = found
    if (id === undefined) {
      const whoIs = away.length === 0 ? 'Nobody is away.' : `Away are: ${away.join(', ')}.`
      throw new NotAway(`No peer ${peer} is away, so there is none to forget. ${whoIs}`)
    }
    await notices.put(kind, id, gone)
    return id
  }

  close(): void {
    this.#unlisten()
  }

  #learn({ kind: heard, name, value }: Notice): void {
    const { places } = this.#needs
    if (heard !== kind || Buffer.compare(value, gone) !== 0) return
    if (name !== places.self) places.left(name)
    else if (!this.#isLeaving) this.#contradict()
  }

  /** Somebody had us forgotten, and we are here. */
  #contradict(): void {
    const { notices, places, log } = this.#needs
    log.info({}, 'Others were told that this peer would not come back; they are told that it is here')
    notices.put(kind, places.self, back).catch((error: unknown) => {
      log.warn({ err: error }, 'The others could not be told that this peer is here')
    })
  }
}
