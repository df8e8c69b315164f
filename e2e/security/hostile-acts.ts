// What the hostile member can be ordered to do, inside its own process: ask anything of anybody, as often as told, and answer
// what it likes.

import { randomBytes } from 'node:crypto'
import { PolyhistorError } from '../../src/errors.ts'
import { MessageReader } from '../../src/formats/wire/message-bytes.ts'
import { flags } from '../../src/formats/wire/message-fields.ts'
import { contentQuestion, ownerAnswers } from '../../src/network/content-directory/questions.ts'
import { captureList } from '../../src/network/remote-reads/wire/questions.ts'
import { takedownName, writeTakedown } from '../../src/network/takedowns/takedown-announcement.ts'
import type { CallService, ServiceName } from '../../src/platform/calls/call-services.ts'
import type { CallHandler } from '../../src/platform/calls/calls.ts'
import type { Channel, PeerId } from '../../src/platform/network/network.ts'
import type { RealNetwork } from '../../src/platform/real/network/network.ts'
import { type Announcement, tellOf } from './announcements.ts'
import { identityIn } from './hostile-identity.ts'
import { largeJob } from './hostile-jobs.ts'

export interface HostileSelf {
  readonly home: string
  service(name: ServiceName): CallService
  network(): RealNetwork
  /** Answers for the program, until told otherwise. */
  override(name: ServiceName, handler: CallHandler | undefined): void
}

/** `thief`: says that it keeps what it is given, and keeps nothing. `denier`: tells readers that it has all there is, and that
 * there is nothing. `liar`: answers everything with nonsense. `withholder`: gives nobody what it keeps, and does not say what that is.
 * `poisoner`: knows every content that it is asked about, and has all of them. */
export type Behaviour = 'honest' | 'thief' | 'denier' | 'liar' | 'withholder' | 'poisoner'

export interface Asking {
  readonly service: ServiceName
  readonly peers: readonly PeerId[]
  readonly messages: readonly Uint8Array[]
  /** How often all of them are sent. */
  readonly times?: number
  readonly channel?: Channel
  readonly deadlineMs?: number
}

/** How many questions came to which end: 'answered', or the code of the failure. */
export type Ends = Record<string, number>

/** Below what a caller may have under way with one peer. */
const atOnceMax = 200
const deadlineMsDefault = 5_000
const [giveKind, confirmKind, completeKind, spareKind] = [1, 4, 6, 7]

export async function meet(self: HostileSelf, addresses: readonly string[]): Promise<PeerId[]> {
  return Promise.all(addresses.map((address) => self.network().meet(address)))
}

export async function ask(self: HostileSelf, asking: Asking): Promise<Ends> {
  const { service, peers, messages, times = 1, channel = 'control', deadlineMs = deadlineMsDefault } = asking
  const calls = self.service(service)
  const ends: Ends = {}
  const askAll = async (peer: PeerId): Promise<void> => {
    let next = 0
    const asker = async (): Promise<void> => {
      while (next < messages.length * times) {
        const message = messages[next++ % messages.length]!
        const end = await calls.call(peer, message, { deadlineMs, channel }).then(
          () => 'answered',
          (error: { code?: string }) => error.code ?? String(error),
        )
        ends[end] = (ends[end] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: Math.min(atOnceMax, messages.length * times) }, asker))
  }
  await Promise.all(peers.map(askAll))
  return ends
}

/** What one question is answered with; undefined when it failed. */
export async function answerOf(
  self: HostileSelf,
  { service, peer, message }: { service: ServiceName; peer: PeerId; message: Uint8Array },
): Promise<Uint8Array | undefined> {
  const calls = self.service(service)
  return calls.call(peer, message, { deadlineMs: deadlineMsDefault, channel: 'control' }).then(
    (bytes) => Uint8Array.from(bytes),
    () => undefined,
  )
}

/** Each in a message of its own, unless they are to go together. */
export async function announce(
  self: HostileSelf,
  {
    peers,
    announcements,
    isTogether = false,
  }: { peers: readonly PeerId[]; announcements: readonly Announcement[]; isTogether?: boolean },
): Promise<Ends> {
  const identity = await identityIn(self.home)
  const messages = isTogether
    ? [tellOf(identity, announcements)]
    : announcements.map((announcement) => tellOf(identity, [announcement]))
  return ask(self, { service: 'notices', peers, messages, deadlineMs: 10_000 })
}

/** So many of so many bytes, none like another. */
export async function floodAnnouncements(
  self: HostileSelf,
  { peers, count, valueBytes }: { peers: readonly PeerId[]; count: number; valueBytes: number },
): Promise<Ends> {
  const sum: Ends = {}
  const atOnce = 8
  const identity = await identityIn(self.home)
  for (let sent = 0; sent < count; sent += atOnce) {
    const numbers = Array.from({ length: Math.min(atOnce, count - sent) }, (_, index) => sent + index)
    // Every second one is a job that could be meant, the others are nothing that anybody knows.
    const announcements = numbers.map((number) =>
      number % 2 === 0
        ? { kind: 'flood', name: `flood ${number}`, value: new Uint8Array(randomBytes(valueBytes)) }
        : largeJob(identity, valueBytes),
    )
    const ends = await announce(self, { peers, announcements })
    for (const [end, number] of Object.entries(ends)) sum[end] = (sum[end] ?? 0) + number
  }
  return sum
}

/** So many takedowns, each of another site and without a role, in messages of a thousand: signed one by one, as they must be. */
export async function floodTakedowns(
  self: HostileSelf,
  { peers, count }: { peers: readonly PeerId[]; count: number },
): Promise<Ends> {
  const sum: Ends = {}
  const each = 1_000
  const by = randomBytes(16).toString('base64url')
  for (let sent = 0; sent < count; sent += each) {
    const announcements = Array.from({ length: Math.min(each, count - sent) }, (_, index) => {
      const target = { kind: 'site' as const, site: `flood-${sent + index}.test` }
      const statement = { target, reason: 'flood', state: 'taken' as const, ...(index % 2 === 0 && { by }) }
      return { kind: 'takedown', name: takedownName(target), value: new Uint8Array(writeTakedown(statement)) }
    })
    const ends = await announce(self, { peers, announcements, isTogether: true })
    for (const [end, number] of Object.entries(ends)) sum[end] = (sum[end] ?? 0) + number
  }
  return sum
}

/** Bytes that are no message of the program, on the connection that members have. */
export async function sendRaw(
  self: HostileSelf,
  { peers, messages }: { peers: readonly PeerId[]; messages: readonly Uint8Array[] },
): Promise<void> {
  for (const peer of peers)
    for (const message of messages)
      await self
        .network()
        .send(peer, message)
        .catch(() => {})
}

export function behave(self: HostileSelf, { how }: { how: Behaviour }): void {
  for (const name of ['replica', 'reading', 'status', 'jobs', 'content'] as const)
    self.override(name, undefined)
  if (how === 'thief') self.override('replica', stealCopies)
  if (how === 'denier')
    self.override('reading', () => captureList.encode({ captures: [], isCut: false, isComplete: true }))
  if (how === 'withholder')
    for (const name of ['replica', 'reading'] as const)
      self.override(name, () => {
        throw new PolyhistorError('service-stopped', 'Not from me')
      })
  if (how === 'poisoner') self.override('content', poisonedContents)
  if (how === 'liar')
    for (const name of ['replica', 'reading', 'status', 'jobs', 'content'] as const)
      self.override(name, () => new Uint8Array(randomBytes(Math.floor(Math.random() * 300))))
}

/** Every content is kept, with a capture that nobody ever made. */
const poisonedContents: CallHandler = (_from, bytes) => {
  const question = contentQuestion.decode(bytes)
  if (question.kind === 'read') throw new PolyhistorError('service-stopped', 'Not now')
  const { kind, items } = question
  if (kind === 'have' || kind === 'hold' || kind === 'let-go') return flags.encode(items.map(() => true))
  const capture = { url: 'http://poison.test/', capturedAtMs: 1, recordId: poisonId }
  return ownerAnswers.encode(items.map(() => ({ kind: 'known' as const, capture })))
}
const poisonId = '01234567-89ab-4cde-8f01-23456789abcd'

let stolen = 0

/** Copies that it was given and threw away. */
export function stolenCount(_self: HostileSelf, _given: undefined): number {
  return stolen
}

/** What it is given is "kept", what it is asked about is "there": and nothing ever was. */
const stealCopies: CallHandler = (_from, bytes) => {
  const reader = new MessageReader(bytes)
  const kind = reader.byte()
  if (kind === giveKind) {
    const count = reader.number()
    stolen += count
    return new Uint8Array(count)
  }
  if (kind === confirmKind) return new Uint8Array(reader.number()).fill(1)
  if (kind === completeKind || kind === spareKind) return Uint8Array.of(1)
  return new Uint8Array(8)
}
