// Leavers: peers that have left the network for good, by their own announcement, or by that of an administrator who knows that the peer
// is dead. So nobody waits for them, and they count again should they ever come back.
//
// A peer's own announcement wins over earlier ones of others about it; later ones of others count only while we miss that peer
// ourselves (presence.ts). So a lie about a living peer has no effect, however often it is repeated.

import { PolyhistorError } from '../../../errors.ts'
import type { Clock, Timer } from '../../../platform/clock.ts'
import type { Log } from '../../../platform/log.ts'
import type { PeerId } from '../../../platform/network/network.ts'
import type { Announcements } from '../../announcements/announcements.ts'
import type { Departure } from './presence.ts'
import { back, gone, leftKind } from './presence-announcements.ts'
import type { RingPlaces } from './ring-places.ts'

interface Needs {
  readonly announcements: Announcements
  readonly places: Pick<RingPlaces, 'self' | 'left' | 'missed' | 'nowMs'>
  readonly clock: Clock
  readonly log: Log
  /** Who may say of others that they are gone; every member, where it is not given. */
  readonly authority?: ForgettingAuthority | undefined
}

/** As src/network/roles/ has it. */
interface ForgettingAuthority {
  isNow(peer: PeerId, least: 'admin'): boolean
  checkNow(what: string, least: 'admin'): void
  /** They are waited for no more. */
  isRevoked(peer: PeerId): boolean
  revoked(): readonly PeerId[]
  onChange(listener: () => void): () => void
}

class NotAway extends PolyhistorError {
  constructor(message: string) {
    super('peer-not-away', message)
  }
}

const { kind } = leftKind
/** An ending of a peer's id that is as long as the status prints it. */
const endingMin = 8
/** Lies about us are answered so often at most. */
const contradictEveryMs = 5 * 60_000

export class Leavers {
  readonly #needs: Needs
  readonly #unlisten: () => void
  readonly #unheed: (() => void) | undefined
  #revoked: readonly PeerId[] = []
  #isLeaving = false
  #hasBegun = false
  #contradictedAtMs = Number.NEGATIVE_INFINITY
  #contradicting: Timer | undefined

  constructor(needs: Needs) {
    this.#needs = needs
    const { announcements, places } = needs
    let isOld = true
    // Of what was known before we do not know when we heard of it.
    this.#unlisten = announcements.follow(kind, ({ name, version }) =>
      this.#learn(name, isOld ? Math.min(version, places.nowMs()) : places.nowMs()),
    )
    isOld = false
    this.#unheed = needs.authority?.onChange(() => {
      const named = Array.from(announcements.all(kind), ({ name }) => name)
      const revoked = needs.authority!.revoked()
      for (const peer of new Set([...named, ...revoked, ...this.#revoked])) this.#learn(peer, places.nowMs())
      this.#revoked = revoked
    })
    for (const peer of needs.authority?.revoked() ?? []) this.#learn(peer, places.nowMs())
  }

  /** We are here, whatever was said before. */
  async begin(): Promise<void> {
    const { announcements, places } = this.#needs
    this.#hasBegun = true
    if (announcements.get(kind, places.self) !== undefined) await announcements.put(kind, places.self, back)
  }

  async leave(): Promise<void> {
    const { announcements, places } = this.#needs
    this.#isLeaving = true
    await announcements.put(kind, places.self, gone).catch((error: unknown) => {
      this.#isLeaving = false
      throw error
    })
  }

  /** Of another: it will not come back, says its keeper. `peer`: its id, or the end of it. Only who is away can be forgotten. */
  async forget(peer: string): Promise<PeerId> {
    const { announcements, places, authority } = this.#needs
    authority?.checkNow('forget peers', 'admin')
    const away = places.missed()
    const found = away.filter((id) => id === peer || (peer.length >= endingMin && id.endsWith(peer)))
    if (found.length > 1) throw new NotAway(`Several peers that are away end in ${peer}: say more of it.`)
    const [id] = found
    if (id === undefined) {
      const whoIs = away.length === 0 ? 'Nobody is away.' : `Away are: ${away.join(', ')}.`
      throw new NotAway(`No peer ${peer} is away, so there is none to forget. ${whoIs}`)
    }
    await announcements.put(kind, id, gone)
    return id
  }

  close(): void {
    this.#contradicting?.cancel()
    this.#unlisten()
    this.#unheed?.()
  }

  #learn(peer: PeerId, heardAtMs: number): void {
    const { places } = this.#needs
    const departure = this.#departureOf(peer, heardAtMs)
    if (peer !== places.self) places.left(peer, departure)
    else if (departure !== undefined && this.#hasBegun && !this.#isLeaving) this.#contradict()
  }

  /** By the words about it that stand. */
  #departureOf(peer: PeerId, heardAtMs: number): Departure | undefined {
    if (this.#needs.authority?.isRevoked(peer)) return { isOwnWord: true, atMs: heardAtMs }
    const words = [...this.#needs.announcements.named(kind, peer)]
    const own = words.find(({ peer: author }) => author === peer)
    const others = words.find(({ peer: author }) => author !== peer && this.#mayForget(author))
    if (own !== undefined && Buffer.compare(own.value, gone) === 0)
      return { isOwnWord: true, atMs: heardAtMs }
    if (others === undefined || (own !== undefined && own.version >= others.version)) return undefined
    return { isOwnWord: false, atMs: heardAtMs }
  }

  #mayForget(author: PeerId): boolean {
    return this.#needs.authority?.isNow(author, 'admin') ?? true
  }

  /** Another member announced us as gone, and we are here. */
  #contradict(): void {
    const { announcements, places, log, clock } = this.#needs
    if (this.#contradicting !== undefined) return
    const waitMs = Math.max(0, this.#contradictedAtMs + contradictEveryMs - clock.monotonicMs())
    this.#contradicting = clock.after(waitMs, () => {
      this.#contradicting = undefined
      this.#contradictedAtMs = clock.monotonicMs()
      if (this.#isLeaving) return
      log.info({}, 'Others were told that this peer would not come back; they are told that it is here')
      announcements.put(kind, places.self, back).catch((error: unknown) => {
        log.warn({ err: error }, 'The others could not be told that this peer is here')
      })
    })
  }
}
