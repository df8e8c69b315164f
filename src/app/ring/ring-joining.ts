// How a peer finds its ring: through peers that it remembers, addresses that it was told, peers on the local network.
//
// Invariants: goes on for as long as the peer runs, ever more slowly. Where nobody can be reached the peer is a ring of
// one after a while; rings that grew apart merge once one remembers a peer of the other (src/network/ring/upkeep.ts), so all who
// are met are told to the ring, also when it has been joined.

import { PolyhistorError } from '../../errors.ts'
import { backOffMs } from '../../model/back-off.ts'
import { LruCache } from '../../model/lru-cache.ts'
import { addressesOfName, parseJoinAddress } from '../../network/membership/join-address.ts'
import { NetworkError } from '../../network/membership/network-error.ts'
import { revokedSentence } from '../../network/membership/tickets/ticket-watch.ts'
import type { KnownPeer, Ring } from '../../network/ring/ring.ts'
import { type Clock, within } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { type PeerId, PeerRefused } from '../../platform/network/network.ts'
import { jittered, type Random } from '../../platform/random.ts'

interface JoiningNeeds {
  readonly ring: Ring
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Goes to an address and tells who is there. */
  meet(address: string): Promise<PeerId>
  lookUpText(name: string): Promise<string[]>
  /** Whether we may have places; until then the ring is only looked at. So when not given. */
  mayJoin?(): boolean
  /** Somebody refused us because another peer holds our ticket. */
  ticketTaken?(): void
  /** Somebody refused us because we were revoked. */
  revoked?(): void
  /** Somebody took us in. */
  takenIn?(): void
}

const foundMax = 256
const backOff = { firstMs: 500, longestMs: 30_000 }
const lookAgainMs = 60_000
/** Of these times, up and down: peers that were started at the same moment shall not try at the same moments for ever. */
const spread = 0.5
/** So long the rest of the peer waits for its ring; those whom it remembers may all be gone. */
const beginMsMax = 1_000
/** After so many attempts, or so long, it is better to be a ring of one than none: when all peers were started at once, each
 * waits for the others to be on a ring. */
const attemptsMax = 4
const attemptsMsMax = 10_000

export class RingJoining {
  readonly #needs: JoiningNeeds
  readonly #given: readonly string[]
  readonly #remembered: readonly KnownPeer[]
  readonly #found = new LruCache<PeerId, KnownPeer>({ max: foundMax })
  readonly #end = new AbortController()
  #wake = new AbortController()
  #running: Promise<void> | undefined
  #isJoined = false
  #attempts = 0
  readonly #begunAtMs: number
  /** It was told that nobody answers. */
  #isWarned = false
  /** At the last attempt nobody was met. */
  #isNobodyMet = false
  /** Why those did not take us in who answered at the last attempt: codes, '' where none was given. */
  #refusals: readonly string[] = []
  #isRevoked = false

  /** `given` are addresses as people write them: see join-address.ts. */
  constructor(needs: JoiningNeeds, given: readonly string[], remembered: readonly KnownPeer[]) {
    this.#needs = needs
    this.#given = given
    this.#remembered = remembered
    this.#begunAtMs = needs.clock.monotonicMs()
    for (const address of given) parseJoinAddress(address)
  }

  /** Whether we may have places has changed. */
  look(): void {
    this.#wake.abort()
  }

  get isJoined(): boolean {
    return this.#isJoined
  }

  /** What the owner should know: nobody of the network was found, or took us in. Of revoked peers and of tickets that are another's
   * ticket-watch.ts tells. */
  problems(): string[] {
    const known = [...this.#given, ...(this.#remembered.length > 0 ? [knownBefore(this.#remembered)] : [])]
    if (!this.#isNobodyMet || this.#peers > 1 || known.length === 0) return []
    if (this.#refusals.some((refusal) => refusal !== '')) return []
    const seconds = (backOff.longestMs * (1 + spread)) / 1_000
    const why = this.#refusals.length > 0 ? refused : `nobody of its network answers (${known.join(', ')})`
    return [`This peer is alone: ${why}. It goes on trying, every ${seconds} s at the latest.`]
  }

  /** Tries, and goes on by itself. Rejects with 'network-refused' when all who were reached at once refused us. */
  async begin(): Promise<void> {
    const attempt = this.#attempt()
    if ((await within(this.#needs.clock, beginMsMax, attempt)) === true) {
      if (this.#isRevoked) throw new NetworkError('network-revoked', revokedSentence)
      throw new NetworkError(
        'network-refused',
        'The peers of the network did not take us in. Is the invitation right, and not expired?',
      )
    }
    this.#running = this.#goOn(attempt)
  }

  /** Somebody on the local network. */
  find(peer: KnownPeer): void {
    const isNew = !this.#found.has(peer.peer)
    this.#found.set(peer.peer, peer)
    if (isNew) this.#wake.abort()
  }

  async end(): Promise<void> {
    this.#end.abort()
    await this.#running
  }

  async #goOn(attempt: Promise<unknown>): Promise<void> {
    const { random, log } = this.#needs
    await attempt.catch((error) => log.warn({ err: error }, 'Joining failed'))
    for (let failures = 1; !this.#end.signal.aborted; failures++) {
      const isAlone = !this.#isJoined || this.#peers < 2
      await this.#pause(jittered(isAlone ? backOffMs(backOff, failures) : lookAgainMs, spread, random))
      if (this.#end.signal.aborted) return
      await this.#attempt().catch((error) => log.warn({ err: error }, 'Joining failed'))
    }
  }

  async #pause(delayMs: number): Promise<void> {
    this.#wake = new AbortController()
    const signal = AbortSignal.any([this.#end.signal, this.#wake.signal])
    await this.#needs.clock.sleep(delayMs, signal).catch(() => {})
  }

  /** Gives whether somebody refused us, and nobody took us. */
  async #attempt(): Promise<boolean> {
    const addresses = await resolveJoinAddresses(this.#needs, this.#given)
    const met = await Promise.allSettled(addresses.map((address) => this.#meet(address)))
    this.#refusals = met.flatMap((result) =>
      result.status === 'rejected' && result.reason instanceof PeerRefused ? [result.reason.refusal] : [],
    )
    const isRefused = this.#refusals.length > 0
    const peers = [
      ...met.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
      ...this.#found.values(),
      ...this.#remembered,
    ]
    const isNobodyThere = peers.length === 0 && this.#given.length === 0
    if (this.#isJoined || isNobodyThere || peers.length > 0) await this.#join(peers, isRefused)
    const isToBeAlone = !this.#isJoined && this.#isEnough()
    this.#isNobodyMet = !met.some(({ status }) => status === 'fulfilled')
    if (this.#isNobodyMet && isRefused) this.#warnOnce(`This peer is alone so far: ${refused}.`)
    else if (this.#isNobodyMet) this.#warn(isToBeAlone)
    if (isToBeAlone) await this.#join([], false)
    return isRefused && !this.#isJoined
  }

  /** On the ring, with ourselves: each may have several positions. */
  get #peers(): number {
    return new Set(this.#needs.ring.view().known.map(({ contact }) => contact.peer)).size
  }

  #isEnough(): boolean {
    const tookMs = this.#needs.clock.monotonicMs() - this.#begunAtMs
    return ++this.#attempts >= attemptsMax || tookMs >= attemptsMsMax
  }

  /** Nobody was met at the addresses that we were given. Who mistyped one would else see a peer that runs, and is alone. Those
   * who are remembered may only be late, when all were started at once. */
  #warn(isToBeAlone: boolean): void {
    const where = this.#given.length === 0 ? '' : ` at ${this.#given.join(', ')}`
    const known = this.#remembered.length
    if (this.#isJoined) {
      if (where !== '' && this.#peers > 1)
        this.#warnOnce(`Nobody answers${where}. The network was found through peers that were known before.`)
    } else if (known === 0) {
      if (where !== '')
        this.#warnOnce(`Nobody answers${where}. It is tried again, and until then this peer is alone.`)
    } else if (isToBeAlone)
      this.#warnOnce(
        `Nobody answers${where}, nor does any of the ${known} peers that were known before. ` +
          'All are tried again, and until then this peer is alone.',
      )
  }

  #warnOnce(message: string): void {
    if (this.#isWarned) return
    this.#isWarned = true
    this.#needs.log.warn({}, message)
  }

  async #join(peers: KnownPeer[], isRefused: boolean): Promise<void> {
    const { ring, log } = this.#needs
    try {
      if (!this.#isJoined && this.#needs.mayJoin?.() === false) {
        if (peers.length > 0) await ring.observe(peers)
        return
      }
      await ring.join(peers)
      if (!this.#isJoined)
        log.info({ peers: this.#peers }, this.#peers < 2 ? 'On the ring, alone so far' : 'On the ring')
      this.#isJoined = true
    } catch (error) {
      if (!(error instanceof PolyhistorError)) throw error
      log.debug({ err: error, isRefused }, 'The ring was not joined yet')
    }
  }

  async #meet(address: string): Promise<KnownPeer> {
    try {
      const peer = await this.#needs.meet(address)
      this.#isRevoked = false
      this.#needs.takenIn?.()
      return { peer, addresses: [address] }
    } catch (error) {
      if (error instanceof PeerRefused && error.refusal === 'network-ticket-taken')
        this.#needs.ticketTaken?.()
      if (error instanceof PeerRefused && error.refusal === 'network-revoked') {
        this.#isRevoked = true
        this.#needs.revoked?.()
      }
      this.#needs.log.debug({ address, err: error }, 'Nobody was met there')
      throw error
    }
  }
}

const refused =
  'those of its network who answer do not take it in (is its invitation right, and not expired?)'

function knownBefore({ length }: readonly KnownPeer[]): string {
  return length === 1 ? 'one peer that was known before' : `${length} peers that were known before`
}

/** Where the addresses and names that people wrote lead to. */
export async function resolveJoinAddresses(
  { lookUpText, log }: Pick<JoiningNeeds, 'lookUpText' | 'log'>,
  given: readonly string[],
): Promise<string[]> {
  const lists = await Promise.all(
    given.map(async (text) => {
      const parsed = parseJoinAddress(text)
      if (parsed.kind === 'address') return [parsed.address]
      try {
        return await addressesOfName(parsed, (name) => lookUpText(name))
      } catch (error) {
        log.warn({ name: parsed.name, err: error }, 'The name could not be looked up')
        return []
      }
    }),
  )
  return [...new Set(lists.flat())]
}
