// What makes somebody known to sites: the cookies and the storage of a browser, as it was when its owner had logged in.
//
// The form is that of playwright's storage state. It is a secret of its owner: whoever has it is that person for those sites. It is kept
// in a profile's home (src/app/profiles/), and never written into an archive.

import * as v from 'valibot'
import { errorFamily } from '../../errors.ts'

const text = v.pipe(v.string(), v.maxLength(10_000_000))
const pair = v.object({ name: text, value: text })
const cookie = v.object({
  name: v.pipe(v.string(), v.maxLength(8_192)),
  value: v.pipe(v.string(), v.maxLength(8_192)),
  /** With a dot before it: of the names below it, too. */
  domain: v.pipe(v.string(), v.maxLength(300)),
  path: v.pipe(v.string(), v.maxLength(8_192)),
  /** Seconds since 1970; -1 when it ends with the browser. */
  expires: v.number(),
  httpOnly: v.boolean(),
  secure: v.boolean(),
  sameSite: v.picklist(['Strict', 'Lax', 'None']),
})
const session = v.object({
  cookies: v.pipe(v.array(cookie), v.maxLength(20_000)),
  origins: v.pipe(
    v.array(
      v.object({
        origin: text,
        localStorage: v.pipe(v.array(pair), v.maxLength(20_000)),
        /** As playwright writes it. */
        indexedDB: v.optional(v.array(v.unknown())),
      }),
    ),
    v.maxLength(5_000),
  ),
})

export type BrowserSession = v.InferOutput<typeof session>
export type SessionCookie = BrowserSession['cookies'][number]

export class SessionError extends errorFamily({ 'session-damaged': 'never' }) {}

export const emptySession: BrowserSession = { cookies: [], origins: [] }

export function readSession(json: string): BrowserSession {
  try {
    return v.parse(session, JSON.parse(json))
  } catch {
    throw new SessionError(
      'session-damaged',
      'What is kept of this profile cannot be read: it is damaged, or of a later version. Log in again with: polyhistor profile create NAME',
    )
  }
}
