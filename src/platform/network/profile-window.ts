// A browser window in which the owner logs in: on the screen, or shown elsewhere as pictures that take mouse and keys.
//
// Its pages reach what the address rule allows, and nothing else: they are anybody's, and this machine may have neighbours.

import * as v from 'valibot'
import type { BrowserSession } from './browser-session.ts'
import type { AddressRule } from './web.ts'

export interface ProfileWindowOptions {
  /** Of a browser of the machine's own; '' to look for one. */
  readonly path: string
  readonly fetchFolder: string
  readonly tell: (sentence: string) => void
  readonly session: BrowserSession
  readonly url: string
  /** On this machine's screen. */
  readonly isVisible: boolean
  readonly allow: AddressRule
}

export const windowSize = { width: 1280, height: 800 } as const

const coordinate = v.pipe(v.number(), v.minValue(0), v.maxValue(4_096))
const button = v.picklist(['left', 'middle', 'right'])

export const windowInput = v.variant('kind', [
  v.object({ kind: v.literal('move'), x: coordinate, y: coordinate }),
  v.object({ kind: v.picklist(['down', 'up']), x: coordinate, y: coordinate, button }),
  v.object({ kind: v.literal('wheel'), deltaY: v.pipe(v.number(), v.minValue(-4_096), v.maxValue(4_096)) }),
  /** A key by its name, with those held down before it: `Control+a`. */
  v.object({ kind: v.literal('press'), keys: v.pipe(v.string(), v.maxLength(60)) }),
  v.object({ kind: v.literal('text'), text: v.pipe(v.string(), v.maxLength(10_000)) }),
  v.object({ kind: v.literal('go'), url: v.pipe(v.string(), v.maxLength(65_536)) }),
  v.object({ kind: v.literal('back') }),
])

export type WindowInput = v.InferOutput<typeof windowInput>

export interface ProfileWindow {
  /** What it has now. */
  session(): Promise<BrowserSession>
  /** Resolves when its owner has closed it, or it has died, with what it had last. */
  readonly ended: Promise<BrowserSession>
  /** The picture that it shows: JPEG in base64. Until `stop` is called. */
  follow(show: (picture: string, url: string) => void): () => void
  input(event: WindowInput): Promise<void>
  close(): Promise<void>
}
