// A member's network that means harm: it remembers what this peer says to others, spoils some of its answers, and sends spoilt
// questions without end: of those that it heard, and of samples of every service (sample-questions.ts).
//
// Works on any network of peers, simulated or real: whoever runs on top of it is an honest peer, whose traffic is what is spoilt.

import { constants, deflateSync, inflateSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { type AnnouncementSigner, statementOf } from '../../src/network/announcements/announcement.ts'
import { announcementsQuestion } from '../../src/network/announcements/questions.ts'
import {
  deadlineBytes,
  headerBytes,
  kindByte,
  packQuestion,
  readId,
  unpackFailure,
} from '../../src/platform/calls/call-messages.ts'
import { type ServiceName, serviceBytes } from '../../src/platform/calls/call-services.ts'
import type { Channel, Message, PeerId, Pieces } from '../../src/platform/network/network.ts'
import type { ConnectedPeer, FoundListener, PeerNetwork } from '../../src/platform/network/peer-network.ts'
import type { Random } from '../../src/platform/random.ts'
import { mutated, mutatedJson } from './mutation.ts'
import type { SampleQuestions } from './sample-questions.ts'

/** Of each service. */
const samplesMax = 400
const sampleBytesMax = 64 * 1024
/** Beyond what `Calls` gives out. */
const attackIdMin = 2 ** 48
const zstdOptions = { params: { [constants.ZSTD_c_compressionLevel]: 1 } }

export class HostileNetwork implements PeerNetwork {
  readonly #network: PeerNetwork
  readonly #random: Random
  /** By service: questions that were right, as they were heard. */
  readonly #heard = new Map<number, Uint8Array[]>()
  /** By service: one of every kind. */
  #samples: SampleQuestions | undefined
  /** Of a hundred answers, so many are spoilt. */
  spoiltAnswers = 0
  /** Signs as this member. */
  signer: Pick<AnnouncementSigner, 'sign'> | undefined
  readonly sent: Record<string, number> = {}
  /** What became of them, by the code of the failure: who throttles everything would read nothing that is wrong. */
  readonly outcomes: Record<string, number> = {}
  #lastId = 0

  constructor(network: PeerNetwork, random: Random) {
    this.#network = network
    this.#random = random
  }

  get self(): PeerId {
    return this.#network.self
  }

  get messageBytesMax(): number {
    return this.#network.messageBytesMax
  }

  addresses(): string[] {
    return this.#network.addresses()
  }

  learn(peer: PeerId, addresses: string[]): void {
    this.#network.learn(peer, addresses)
  }

  /** What it can spoil from the beginning. */
  know(samples: SampleQuestions): void {
    this.#samples = samples
  }

  connected(): ConnectedPeer[] {
    return this.#network.connected()
  }

  meet(address: string): Promise<PeerId> {
    return this.#network.meet(address)
  }

  onFound(listener: FoundListener): void {
    this.#network.onFound(listener)
  }

  cut(peer: PeerId): Promise<void> {
    return this.#network.cut(peer)
  }

  receive(receiver: (message: Message) => void): void {
    this.#network.receive((message) => {
      // What others ask is as good as what we ask.
      this.#remember(message.bytes)
      this.#noteOutcome(message)
      receiver(message)
    })
  }

  onLost(listener: (peer: PeerId) => void): void {
    this.#network.onLost?.(listener)
  }

  close(): Promise<void> {
    return this.#network.close()
  }

  async send(to: PeerId, pieces: Pieces, channel?: Channel): Promise<void> {
    const bytes = pieces instanceof Uint8Array ? Buffer.from(pieces) : Buffer.concat(pieces)
    this.#remember(bytes)
    const isSpoilt = bytes[0] !== kindByte.question && this.#random.below(100) < this.spoiltAnswers
    if (!isSpoilt) return this.#network.send(to, bytes, channel)
    const [head, rest] = [bytes.subarray(0, headerBytes), bytes.subarray(headerBytes)]
    this.#count('answers')
    const spoilt = Buffer.concat([head, mutated(this.#random, rest, this.#any())])
    return this.#network.send(to, spoilt, channel)
  }

  /** Sends a question that is wrong, to any service. Resolves when it has been handed on, or with false when it could not be. */
  async attack(to: PeerId): Promise<boolean> {
    const random = this.#random
    const isKnown = random.below(50) > 0
    const services = Object.entries(serviceBytes).filter(([each]) => !isKnown || this.#sampleOf(each))
    const [name, byte] = this.#oneOf(services) ?? Object.entries(serviceBytes)[0]!
    const sample = this.#sampleOf(name)
    const isMadeUp = sample === undefined || random.below(20) === 0
    const question = isMadeUp ? madeUp(random) : this.#spoil(byte, sample)
    const id = attackIdMin + this.#lastId++
    const bytes = packQuestion(id, 1_000, [Uint8Array.of(byte), question])
    const channel = random.below(2) === 0 ? 'control' : 'bulk'
    const isSent = await this.#network.send(to, bytes, channel).then(
      () => true,
      () => false,
    )
    if (isSent) this.#count(name)
    return isSent
  }

  #spoil(byte: number, sample: Uint8Array): Uint8Array {
    const random = this.#random
    if (random.below(3) > 0) {
      if (byte === serviceBytes.notices) return this.#spoiltAnnouncement(sample)
      // Entries of a site, which are compressed.
      if (byte === serviceBytes.sites && sample[0] === 1 && sample[1] === 0) {
        const inner = zstdDecompressSync(sample.subarray(2))
        const spoilt = zstdCompressSync(mutated(random, inner, this.#any()), zstdOptions)
        return Buffer.concat([sample.subarray(0, 2), spoilt])
      }
    }
    return mutated(random, sample, this.#any())
  }

  /** JSON, packed or plain, must be whole to be looked at; the rest is bytes. */
  #spoiltValue(value: Uint8Array): Uint8Array {
    const random = this.#random
    if (random.below(8) === 0) return mutated(random, value, this.#any())
    const text = unpacked(value)
    if (text !== undefined) return deflateSync(mutatedJson(random, text))
    const plain = Buffer.from(value).toString()
    return /^[{[]/.test(plain) ? Buffer.from(mutatedJson(random, plain)) : mutated(random, value, this.#any())
  }

  /** A signature must fit to what is said, or nobody looks at it. */
  #spoiltAnnouncement(sample: Uint8Array): Uint8Array {
    try {
      const question = announcementsQuestion.decode(sample)
      if (question.kind !== 'tell') return mutated(this.#random, sample, this.#any())
      const signer = this.signer
      const announcements = question.announcements.map((announcement) => {
        const spoilt = {
          ...announcement,
          version: announcement.version + this.#random.below(1_000),
          value: this.#spoiltValue(announcement.value),
        }
        // As its own, or as if another had said so.
        if (signer === undefined || this.#random.below(4) === 0) return spoilt
        // What another says of itself, it says of itself.
        const name = spoilt.name === spoilt.peer ? this.self : spoilt.name
        const own = { ...spoilt, name, peer: this.self }
        return { ...own, signature: signer.sign(statementOf(own)) }
      })
      return announcementsQuestion.encode({ kind: 'tell', announcements })
    } catch {
      return mutated(this.#random, sample, this.#any())
    }
  }

  /** Of those that were heard or made up, each as often. */
  #sampleOf(service: string): Uint8Array | undefined {
    const heard = this.#heard.get(serviceBytes[service as ServiceName]) ?? []
    const samples = this.#samples?.[service as keyof SampleQuestions] ?? []
    const [some, others] = this.#random.below(2) === 0 ? [heard, samples] : [samples, heard]
    return this.#oneOf(some) ?? this.#oneOf(others)
  }

  #any(): Uint8Array {
    const [service] = this.#oneOf(Object.entries(serviceBytes))!
    return this.#sampleOf(service) ?? new Uint8Array()
  }

  #oneOf<T>(all: readonly T[]): T | undefined {
    return all[this.#random.below(Math.max(1, all.length))]
  }

  #noteOutcome({ from, bytes }: Message): void {
    if (bytes.length < headerBytes || bytes[0] === kindByte.question || readId(bytes) < attackIdMin) return
    const isFailure = bytes[0] === kindByte.failure
    const outcome = isFailure ? unpackFailure(from, bytes.subarray(headerBytes)).code : 'answered'
    this.outcomes[outcome] = (this.outcomes[outcome] ?? 0) + 1
  }

  #remember(bytes: Uint8Array): void {
    if (bytes[0] !== kindByte.question || bytes.length > sampleBytesMax) return
    const byte = bytes[headerBytes + deadlineBytes]
    if (byte === undefined) return
    const samples = this.#heard.get(byte) ?? []
    this.#heard.set(byte, samples)
    const sample = Uint8Array.from(bytes.subarray(headerBytes + deadlineBytes + 1))
    if (samples.length < samplesMax) samples.push(sample)
    else samples[this.#random.below(samplesMax)] = sample
  }

  #count(name: string): void {
    this.sent[name] = (this.sent[name] ?? 0) + 1
  }
}

function madeUp(random: Random): Uint8Array {
  const bytes = random.bytes(random.below(300))
  if (bytes.length > 0) bytes[0] = random.below(10)
  return bytes
}

function unpacked(value: Uint8Array): string | undefined {
  try {
    return inflateSync(value).toString()
  } catch {
    return undefined
  }
}
