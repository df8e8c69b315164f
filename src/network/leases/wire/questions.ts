// What stewards ask of members, and what those answer, as bytes. Every list has a bound.

import { MessageMalformed, MessageReader, MessageWriter } from '../../../formats/wire/message-bytes.ts'
import { ringKeyBytes, ringKeyFromBytes, ringKeyToBytes } from '../../../model/ring-key.ts'
import type { Accepted, Ballot, Recollection, SiteId, Stewardship } from '../stewardship.ts'
import {
  readAccepted,
  readBallot,
  readOptional,
  readStewardship,
  writeAccepted,
  writeBallot,
  writeOptional,
  writeStewardship,
} from './stewardship-coding.ts'

export interface SiteEpoch {
  readonly site: SiteId
  readonly epoch: number
}

export interface SiteStewardship {
  readonly site: SiteId
  readonly stewardship: Stewardship
}

/** An attempt to decide the epoch after `base`. Without `wish`, only the promise not to listen to earlier attempts. */
export interface Attempt {
  readonly site: SiteId
  readonly base: Stewardship | undefined
  readonly ballot: Ballot
  readonly wish: Stewardship | undefined
}

export type AttemptAnswer =
  /** Promised, or accepted. `accepted`: what this member has accepted of another attempt. */
  | { readonly kind: 'agreed'; readonly accepted: Accepted | undefined }
  /** More has been decided than the attempt knows. */
  | { readonly kind: 'decided'; readonly decided: Stewardship }
  /** Another attempt came later. */
  | { readonly kind: 'outbid'; readonly ballot: Ballot }
  /** The steward of this was heard of a moment ago. */
  | { readonly kind: 'bound'; readonly to: Stewardship; readonly leftMs: number }
  /** What the attempt says is not known here, and nobody who was asked confirms it yet. */
  | { readonly kind: 'unsure' }

export type Question =
  /** Grant me again what I am steward of. `session`: as told last time. */
  | { readonly kind: 'renew'; readonly session: number }
  /** Am I steward of these, as you know it? */
  | { readonly kind: 'attest'; readonly session: number; readonly sites: readonly SiteId[] }
  | { readonly kind: 'attempt'; readonly attempts: readonly Attempt[] }
  /** These are decided. */
  | { readonly kind: 'learn'; readonly sites: readonly SiteStewardship[] }
  /** I am not their steward any more. */
  | { readonly kind: 'lay-down'; readonly sites: readonly SiteEpoch[] }
  /** What is decided or accepted, as you know it? */
  | { readonly kind: 'recall'; readonly sites: readonly SiteId[] }
  /** To a steward: lay this down if you do not want it. */
  | { readonly kind: 'yield'; readonly sites: readonly SiteStewardship[] }

const kinds = ['renew', 'attest', 'attempt', 'learn', 'lay-down', 'recall', 'yield'] as const
const answerKinds = ['agreed', 'decided', 'outbid', 'bound', 'unsure'] as const
/** In one message. */
export const sitesMax = 1_000
const leftMsMax = 2 ** 32

export function writeQuestion(question: Question): Uint8Array {
  const writer = new MessageWriter().byte(kinds.indexOf(question.kind))
  switch (question.kind) {
    case 'renew':
      writer.number(question.session)
      break
    case 'attest':
      writeList(writer.number(question.session), question.sites, writeSite)
      break
    case 'attempt':
      writeList(writer, question.attempts, writeAttempt)
      break
    case 'lay-down':
      writeList(writer, question.sites, writeSiteEpoch)
      break
    case 'recall':
      writeList(writer, question.sites, writeSite)
      break
    case 'learn':
    case 'yield':
      writeList(writer, question.sites, writeSiteStewardship)
  }
  return writer.finish()
}

export function readQuestion(bytes: Uint8Array): Question {
  const reader = new MessageReader(bytes)
  const kind = kinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('no such question to a member')
  switch (kind) {
    case 'renew':
      return { kind, session: reader.number() }
    case 'attest':
      return { kind, session: reader.number(), sites: readList(reader, readSite) }
    case 'attempt':
      return { kind, attempts: readList(reader, readAttempt) }
    case 'lay-down':
      return { kind, sites: readList(reader, readSiteEpoch) }
    case 'recall':
      return { kind, sites: readList(reader, readSite) }
    case 'learn':
    case 'yield':
      return { kind, sites: readList(reader, readSiteStewardship) }
  }
}

export function writeSession(session: number): Uint8Array {
  return new MessageWriter().number(session).finish()
}

export function readSession(bytes: Uint8Array): number {
  return new MessageReader(bytes).number()
}

export function writeYesNos(answers: readonly boolean[]): Uint8Array {
  return Uint8Array.from(answers, Number)
}

export function readYesNos(bytes: Uint8Array, count: number): boolean[] {
  return Array.from(new MessageReader(bytes).fixed(count), (byte) => byte === 1)
}

export function writeAttemptAnswers(answers: readonly AttemptAnswer[]): Uint8Array {
  const writer = new MessageWriter()
  for (const answer of answers) {
    writer.byte(answerKinds.indexOf(answer.kind))
    if (answer.kind === 'agreed') writeOptional(writer, answer.accepted, writeAccepted)
    else if (answer.kind === 'decided') writeStewardship(writer, answer.decided)
    else if (answer.kind === 'outbid') writeBallot(writer, answer.ballot)
    else if (answer.kind === 'bound') {
      writeStewardship(writer, answer.to)
      writer.number(Math.ceil(answer.leftMs))
    }
  }
  return writer.finish()
}

export function readAttemptAnswers(bytes: Uint8Array, count: number): AttemptAnswer[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: count }, () => readAttemptAnswer(reader))
}

function readAttemptAnswer(reader: MessageReader): AttemptAnswer {
  const kind = answerKinds[reader.byte()]
  if (kind === undefined) throw new MessageMalformed('no such answer to an attempt')
  switch (kind) {
    case 'agreed':
      return { kind, accepted: readOptional(reader, readAccepted) }
    case 'decided':
      return { kind, decided: readStewardship(reader) }
    case 'outbid':
      return { kind, ballot: readBallot(reader) }
    case 'bound':
      return { kind, to: readStewardship(reader), leftMs: reader.number(leftMsMax) }
    case 'unsure':
      return { kind }
  }
}

export function writeRecalled(answers: readonly Recollection[]): Uint8Array {
  const writer = new MessageWriter()
  for (const { decided, accepted } of answers) {
    writeOptional(writer, decided, writeStewardship)
    writeOptional(writer, accepted, writeAccepted)
  }
  return writer.finish()
}

export function readRecalled(bytes: Uint8Array, count: number): Recollection[] {
  const reader = new MessageReader(bytes)
  return Array.from({ length: count }, () => ({
    decided: readOptional(reader, readStewardship),
    accepted: readOptional(reader, readAccepted),
  }))
}

function writeSite(writer: MessageWriter, site: SiteId): void {
  writer.fixed(ringKeyToBytes(site))
}

function readSite(reader: MessageReader): SiteId {
  return ringKeyFromBytes(reader.fixed(ringKeyBytes))
}

function writeSiteEpoch(writer: MessageWriter, { site, epoch }: SiteEpoch): void {
  writeSite(writer, site)
  writer.number(epoch)
}

function readSiteEpoch(reader: MessageReader): SiteEpoch {
  return { site: readSite(reader), epoch: reader.counter() }
}

function writeSiteStewardship(writer: MessageWriter, { site, stewardship }: SiteStewardship): void {
  writeSite(writer, site)
  writeStewardship(writer, stewardship)
}

function readSiteStewardship(reader: MessageReader): SiteStewardship {
  return { site: readSite(reader), stewardship: readStewardship(reader) }
}

function writeAttempt(writer: MessageWriter, { site, base, ballot, wish }: Attempt): void {
  writeSite(writer, site)
  writeOptional(writer, base, writeStewardship)
  writeBallot(writer, ballot)
  writeOptional(writer, wish, writeStewardship)
}

function readAttempt(reader: MessageReader): Attempt {
  const site = readSite(reader)
  const base = readOptional(reader, readStewardship)
  const ballot = readBallot(reader)
  const wish = readOptional(reader, readStewardship)
  if (wish && wish.epoch !== (base?.epoch ?? 0) + 1)
    throw new MessageMalformed('an epoch that does not follow')
  return { site, base, ballot, wish }
}

function writeList<T>(
  writer: MessageWriter,
  items: readonly T[],
  write: (writer: MessageWriter, item: T) => void,
): void {
  writer.number(items.length)
  for (const item of items) write(writer, item)
}

function readList<T>(reader: MessageReader, read: (reader: MessageReader) => T): T[] {
  return Array.from({ length: reader.number(sitesMax) }, () => read(reader))
}
