// The network of a simulated machine as a peer joins it: by identity, at an address, and greeted before any message passes, as
// libp2p does it on a real one.
//
// A connection stands for a greeting that both ends remember. Who gets a message from somebody that it has not greeted (it was
// started anew since, or has ended the connection) says so, and the sender greets again with its next message.

import type { Clock } from '../../src/platform/clock.ts'
import type { Channel, Message, Network, PeerId, Pieces } from '../../src/platform/network/network.ts'
import { PeerUnreachable } from '../../src/platform/network/network.ts'
import { readAnswer, receive } from '../../src/platform/network/network-greeting.ts'
import type {
  ConnectedPeer,
  FoundListener,
  PeerNetwork,
  PeerNetworkOptions,
} from '../../src/platform/network/peer-network.ts'
import { peerOf } from '../../src/platform/real/network/identity.ts'

/** Which machine is at which address: what a router knows. */
export class Addresses {
  readonly #machines = new Map<string, string>()
  readonly #addresses = new Map<string, string>()

  /** `beside`: in the network of that machine. */
  place(machine: string, beside: string): void {
    const [network] = /^\/ip4\/\d+\.\d+/.exec(this.of(beside))!
    const address = `${network}.0.${this.#addresses.size + 2}/tcp/7071`
    this.#addresses.set(machine, address)
    this.#machines.set(address, machine)
  }

  of(machine: string): string {
    let address = this.#addresses.get(machine)
    if (address === undefined) {
      const number = this.#addresses.size + 1
      address = `/ip4/${10 + Math.floor(number / 250)}.${(number % 250) + 1}.0.1/tcp/7071`
      this.#addresses.set(machine, address)
      this.#machines.set(address, machine)
    }
    return address
  }

  /** What stands behind the port, such as the name of a peer, says nothing of where it is. */
  machineAt(address: string): string | undefined {
    return this.#machines.get(/^\/ip4\/[^/]+\/tcp\/\d+/.exec(address)?.[0] ?? '')
  }
}

const frames = { message: 0, hello: 1, answer: 2, reset: 3 } as const
/** Packets get lost; a dial is tried again, and given up after a while. */
const dialTries = 4
const dialTryMs = 2_000

interface Connected extends ConnectedPeer {
  readonly machine: string
  /** Which run of the process at the other end. */
  readonly run: number
}

interface Greeted {
  readonly id: number
  readonly run: number
  readonly peer: PeerId
  readonly words: Uint8Array
}

export class SimulatedPeerNetwork implements PeerNetwork {
  readonly self: PeerId
  readonly messageBytesMax: number
  readonly #clock: Clock
  readonly #wire: Network
  readonly #addresses: Addresses
  readonly #options: PeerNetworkOptions
  readonly #run: number
  readonly #connected = new Map<PeerId, Connected>()
  readonly #peersOn = new Map<string, PeerId>()
  readonly #machines = new Map<PeerId, string>()
  readonly #dials = new Map<string, Promise<PeerId>>()
  readonly #awaited = new Map<number, (greeted: Greeted) => void>()
  #receiver: ((message: Message) => void) | undefined
  #onLost: ((peer: PeerId) => void) | undefined
  #lastId = 0

  /** `wire`: between machines. `run`: another number for each start of the process. */
  constructor(
    needs: { clock: Clock; wire: Network; addresses: Addresses },
    options: PeerNetworkOptions,
    run: number,
  ) {
    this.#clock = needs.clock
    this.#wire = needs.wire
    this.#addresses = needs.addresses
    this.#options = options
    this.#run = run
    this.self = peerOf(options.identity)
    this.messageBytesMax = needs.wire.messageBytesMax - 1
    needs.wire.receive((message) => this.#take(message))
  }

  addresses(): string[] {
    return [this.#addresses.of(this.#wire.self)]
  }

  learn(peer: PeerId, addresses: string[]): void {
    for (const address of addresses) {
      const machine = this.#addresses.machineAt(address)
      if (machine !== undefined) this.#machines.set(peer, machine)
    }
  }

  connected(): ConnectedPeer[] {
    return [...this.#connected.values()]
  }

  async meet(address: string): Promise<PeerId> {
    const machine = this.#addresses.machineAt(address)
    if (machine === undefined) throw new PeerUnreachable(address, 'nobody is there')
    // Who is not let in says hello anew, for it may say something else now.
    return this.#peersOn.get(machine) ?? this.#greet(machine)
  }

  /** Nobody is looked for on the local network. */
  onFound(_listener: FoundListener): void {}

  onLost(listener: (peer: PeerId) => void): void {
    this.#onLost = listener
  }

  receive(receiver: (message: Message) => void): void {
    this.#receiver = receiver
  }

  async send(to: PeerId, pieces: Pieces, channel: Channel = 'control'): Promise<void> {
    const connected = this.#connected.get(to)
    if (connected !== undefined) return this.#send(connected, pieces, channel)
    const machine = this.#machines.get(to)
    if (machine === undefined) throw new PeerUnreachable(to, 'no address of it is known')
    const peer = await this.#dial(machine)
    if (peer !== to) throw new PeerUnreachable(to, `${peer} is at its address`)
    const now = this.#connected.get(to)
    if (now === undefined) throw new PeerUnreachable(to, 'the connection has ended')
    return this.#send(now, pieces, channel)
  }

  async cut(peer: PeerId): Promise<void> {
    const connected = this.#connected.get(peer)
    if (connected === undefined) return
    this.#lose(peer)
    await this.#write(connected.machine, Buffer.of(frames.reset)).catch(() => {})
  }

  close(): Promise<void> {
    this.#receiver = undefined
    return this.#wire.close()
  }

  async #send({ peer, machine }: Connected, pieces: Pieces, channel: Channel): Promise<void> {
    const parts = pieces instanceof Uint8Array ? [pieces] : pieces
    try {
      await this.#write(machine, [Buffer.of(frames.message), ...parts], channel)
    } catch (error) {
      if (!(error instanceof PeerUnreachable)) throw error
      this.#lose(peer)
      throw new PeerUnreachable(peer, error.message)
    }
  }

  #write(machine: string, pieces: Pieces, channel?: Channel): Promise<void> {
    this.#wire.learn(machine, [`/simulated/${machine}`])
    return this.#wire.send(machine, pieces, channel)
  }

  #dial(machine: string): Promise<PeerId> {
    const dialing = this.#dials.get(machine)
    if (dialing !== undefined) return dialing
    const dial = this.#greet(machine).finally(() => this.#dials.delete(machine))
    this.#dials.set(machine, dial)
    return dial
  }

  async #greet(machine: string): Promise<PeerId> {
    const address = this.#addresses.of(machine)
    if (machine === this.#wire.self) throw new PeerUnreachable(address, 'it is our own')
    const id = ++this.#lastId
    const answered = Promise.withResolvers<Greeted>()
    this.#awaited.set(id, answered.resolve)
    try {
      for (let count = 0; count < dialTries; count++) {
        await this.#write(machine, this.#frame(frames.hello, id, this.#options.greeting.hello()))
        const greeted = await this.#soon(answered.promise)
        if (greeted === undefined) continue
        const { peer, run, words } = greeted
        this.learn(peer, readAnswer(this.#options.greeting, { peer, address }, words))
        this.#connect({ peer, address, direction: 'outbound', machine, run })
        return peer
      }
      throw new PeerUnreachable(address, 'no answer')
    } finally {
      this.#awaited.delete(id)
    }
  }

  async #soon<T>(work: Promise<T>): Promise<T | undefined> {
    const enough = new AbortController()
    const patience = this.#clock.sleep(dialTryMs, enough.signal).then(
      () => undefined,
      () => undefined,
    )
    const done = await Promise.race([work, patience])
    enough.abort()
    return done
  }

  #take({ from, bytes, channel }: Message): void {
    const [kind] = bytes
    const rest = bytes.subarray(1)
    if (kind === frames.message) this.#takeMessage(from, rest, channel)
    else if (kind === frames.hello) this.#takeHello(from, readFrame(rest))
    else if (kind === frames.answer) {
      const greeted = readFrame(rest)
      this.#awaited.get(greeted.id)?.(greeted)
    } else if (kind === frames.reset) {
      const peer = this.#peersOn.get(from)
      if (peer !== undefined) this.#lose(peer)
    }
  }

  #takeMessage(machine: string, bytes: Uint8Array, channel: Channel): void {
    const peer = this.#peersOn.get(machine)
    if (peer !== undefined) this.#receiver?.({ from: peer, bytes, channel })
    else void this.#write(machine, Buffer.of(frames.reset)).catch(() => {})
  }

  #takeHello(machine: string, { id, run, peer, words }: Greeted): void {
    const address = this.#addresses.of(machine)
    const verdict = receive(this.#options.greeting, { peer, address }, words)
    if (verdict.addresses !== undefined) {
      this.learn(peer, [address])
      this.#connect({ peer, address, direction: 'inbound', machine, run })
    }
    void this.#write(machine, this.#frame(frames.answer, id, verdict.words)).catch(() => {})
  }

  #connect(connected: Connected): void {
    const { peer, machine, run } = connected
    const before = this.#peersOn.get(machine)
    // The process that was there has ended, and what it was asked with it.
    if (before !== undefined && this.#connected.get(before)?.run !== run) this.#lose(before)
    this.#connected.set(peer, connected)
    this.#peersOn.set(machine, peer)
  }

  #lose(peer: PeerId): void {
    const connected = this.#connected.get(peer)
    if (connected === undefined) return
    this.#connected.delete(peer)
    this.#peersOn.delete(connected.machine)
    this.#onLost?.(peer)
  }

  #frame(kind: number, id: number, words: Uint8Array): Uint8Array {
    const head = Buffer.alloc(9)
    head[0] = kind
    head.writeUInt32BE(id, 1)
    head.writeUInt32BE(this.#run, 5)
    const name = Buffer.from(this.self)
    return Buffer.concat([head, Buffer.of(name.length), name, words])
  }
}

/** Without its kind. */
function readFrame(bytes: Uint8Array): Greeted {
  const view = Buffer.from(bytes)
  const nameEnd = 9 + view[8]!
  return {
    id: view.readUInt32BE(0),
    run: view.readUInt32BE(4),
    peer: view.subarray(9, nameEnd).toString(),
    words: view.subarray(nameEnd),
  }
}
