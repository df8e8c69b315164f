// What the exit code of a command means. Kept in step with the table in docs/commands.md by a test.

import { PolyhistorError } from '../errors.ts'

/** The numbers above 1 are those of BSD's sysexits.h, which scripts may know. */
export const exitCodes = {
  /** All went well. */
  ok: 0,
  /** The command worked and the answer is no, some of its inputs failed, or a crawl kept nothing. */
  no: 1,
  /** A crawl kept something, and could not fetch all that it wanted. */
  partly: 2,
  /** The command line is wrong: unknown command or option, bad value. */
  usage: 64,
  /** Input is malformed. */
  badInput: 65,
  /** Something named does not exist. */
  notFound: 66,
  /** Something needed is missing: Node too old, installation failed. */
  unavailable: 69,
  /** A fault of this program. */
  fault: 70,
  /** The disk or the index failed. */
  disk: 74,
  /** It may work later: disk full, home or port in use by another process, no peer running. */
  later: 75,
  /** Not for who asked: it takes another role. */
  notPermitted: 77,
  /** The configuration is wrong. */
  configuration: 78,
  /** Stopped by Ctrl-C. */
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** By the first part of the error's code that is listed, the longest first. */
const byCode: Record<string, ExitCode> = {
  usage: exitCodes.usage,
  cursor: exitCodes.badInput,
  'search-bad-query': exitCodes.usage,
  'search-off': exitCodes.unavailable,
  search: exitCodes.later,
  filter: exitCodes.badInput,
  configuration: exitCodes.configuration,
  url: exitCodes.badInput,
  digest: exitCodes.badInput,
  timestamp: exitCodes.badInput,
  cdxj: exitCodes.badInput,
  warc: exitCodes.badInput,
  'proof-unreadable': exitCodes.badInput,
  'proof-none': exitCodes.no,
  'log-damaged': exitCodes.disk,
  'disk-not-found': exitCodes.notFound,
  'disk-full': exitCodes.later,
  disk: exitCodes.disk,
  'index-full': exitCodes.later,
  index: exitCodes.disk,
  'index-line': exitCodes.badInput,
  'ring-key': exitCodes.badInput,
  'address-range': exitCodes.usage,
  scope: exitCodes.usage,
  fresh: exitCodes.usage,
  'rule-malformed': exitCodes.usage,
  'rule-unknown': exitCodes.notFound,
  'rules-file': exitCodes.badInput,
  'schedule-malformed': exitCodes.usage,
  'schedule-unknown': exitCodes.notFound,
  'schedules-full': exitCodes.later,
  seeds: exitCodes.badInput,
  selector: exitCodes.usage,
  'too-many-ignore-rules': exitCodes.usage,
  'pattern-malformed': exitCodes.usage,
  watch: exitCodes.usage,
  'watch-unknown': exitCodes.notFound,
  'watch-nothing-archived': exitCodes.notFound,
  'watches-full': exitCodes.no,
  'watches-version': exitCodes.badInput,
  webhook: exitCodes.usage,
  'webhook-unknown': exitCodes.notFound,
  'webhooks-full': exitCodes.no,
  'notice-refused': exitCodes.usage,
  'visit-rules-full': exitCodes.later,
  'store-bad': exitCodes.badInput,
  'store-not-found': exitCodes.notFound,
  'store-content-missing': exitCodes.notFound,
  'store-content-damaged': exitCodes.disk,
  'store-index': exitCodes.disk,
  'store-unknown': exitCodes.notFound,
  'store-unknown-archive': exitCodes.badInput,
  'store-unknown-format': exitCodes.badInput,
  'store-taken-down': exitCodes.no,
  'store-takedown-final': exitCodes.no,
  'store-bucket-taken': exitCodes.usage,
  'store-closed': exitCodes.fault,
  'bucket-bad-address': exitCodes.configuration,
  'bucket-no-credentials': exitCodes.configuration,
  'bucket-not-permitted': exitCodes.configuration,
  'bucket-missing': exitCodes.configuration,
  'network-invitation': exitCodes.badInput,
  'network-invitation-used': exitCodes.no,
  'network-address': exitCodes.usage,
  'network-none': exitCodes.usage,
  'network-other': exitCodes.usage,
  'network-private': exitCodes.usage,
  'network-not-ours': exitCodes.no,
  'network-volunteer': exitCodes.usage,
  'network-revoked': exitCodes.notPermitted,
  'role-lacking': exitCodes.notPermitted,
  'role-key-away': exitCodes.unavailable,
  'role-peer-unknown': exitCodes.notFound,
  'role-statement-unknown': exitCodes.notFound,
  'role-refused': exitCodes.usage,
  'takedown-reason-missing': exitCodes.usage,
  'network-refused': exitCodes.no,
  'network-file': exitCodes.disk,
  'profile-unknown': exitCodes.notFound,
  'profile-damaged': exitCodes.disk,
  'session-damaged': exitCodes.disk,
  profile: exitCodes.usage,
  'home-not-lockable': exitCodes.disk,
  // What a running peer may answer to a command.
  request: exitCodes.badInput,
  token: exitCodes.usage,
  'path-not-allowed': exitCodes.usage,
  'not-archived': exitCodes.no,
  'taken-down': exitCodes.no,
  'crawl-job-unknown': exitCodes.notFound,
  'job-unknown': exitCodes.notFound,
  'job-too-large': exitCodes.usage,
  'peer-refused': exitCodes.unavailable,
  'sql-missing': exitCodes.unavailable,
  sql: exitCodes.badInput,
  bridge: exitCodes.unavailable,
  'browser-missing': exitCodes.unavailable,
  'browser-not-started': exitCodes.unavailable,
  'http-body': exitCodes.badInput,
  'http-address-unusable': exitCodes.usage,
}

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof PolyhistorError)) return exitCodes.fault
  const words = error.code.split('-')
  for (let length = words.length; length > 0; length--) {
    const code = byCode[words.slice(0, length).join('-')]
    if (code !== undefined) return code
  }
  // Whatever has a code was foreseen: no fault of this program.
  return error.retry === 'later' ? exitCodes.later : exitCodes.no
}
