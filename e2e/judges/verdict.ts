// What a judge says of one capture, or of a whole file.

import { decodedBody, type RawAnswer } from './raw-answer.ts'

export interface Verdict {
  /** Of the capture; what was done, where it is about a file. */
  readonly kind: string
  /** undefined: as it should be. */
  readonly fault: string | undefined
  /** What is as the tool means it to be, though not as we show it, or cannot be compared. */
  readonly peculiarity?: string | undefined
}

/** A judge that is not here is a failure, never a silent pass. */
export class MissingJudge extends Error {}

/** Byte by byte, and with the same status. Who names no content coding has undone it: then the decoded bytes count. */
export function faultOf(theirs: RawAnswer, ours: RawAnswer): string | undefined {
  if (theirs.status !== ours.status) return `status ${theirs.status} instead of ${ours.status}`
  const isDecoded = ours.encoding !== undefined && theirs.encoding === undefined
  const wanted = isDecoded ? decodedBody(ours) : ours.body
  if (theirs.body.equals(wanted)) return undefined
  const at = wanted.findIndex((byte, index) => byte !== theirs.body[index])
  const place = at < 0 ? wanted.length : at
  return `${theirs.body.length} bytes instead of ${wanted.length}, other from byte ${place}: ${excerpt(theirs.body, place)}`
}

/** The same, where a tool shows this status and no content, on purpose. */
export function verdictWithoutContent(
  { kind, theirs, status }: { kind: string; theirs: RawAnswer; status: number },
  peculiarity: string,
): Verdict {
  const fault = faultOf(theirs, { status, encoding: undefined, body: Buffer.alloc(0) })
  return { kind, fault, peculiarity: fault === undefined ? peculiarity : undefined }
}

function excerpt(body: Buffer, place: number): string {
  return JSON.stringify(body.subarray(Math.max(0, place - 10), place + 50).toString('latin1'))
}
