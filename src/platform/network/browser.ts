// A browser, as the rest of the program may see it: it shows one page, and puts everything that the page asks for to the caller.
//
// The browser itself reaches nothing: whatever a page does, a request comes to `answer` or fails. A page ends once, within its time, and
// nothing of it is left: no cookie, no cache, no process that still runs its scripts. Showing rejects only when it is aborted or
// when there is no browser, or none that can be started (BrowserError); what a page does, a crash included, is told by the result.

import { errorFamily } from '../../errors.ts'
import type { Field, FieldList } from '../../formats/http/field-list.ts'

export interface PageRequest {
  readonly method: string
  /** As the browser writes it. */
  readonly href: string
  readonly headers: FieldList
  /** After transfer-decoding; `too-large`: more than is passed on. */
  readonly body: Uint8Array | 'too-large' | undefined
}

/** Bodies are as they came from the server, before content-decoding. */
export interface PageAnswer {
  readonly status: number
  readonly headers: Iterable<Field>
  readonly body: Uint8Array | AsyncIterable<Uint8Array>
  /** undefined when it is not known before the body has been read. */
  readonly bodyBytes: number | undefined
}

export interface PageToShow {
  readonly href: string
  readonly limits: PageLimits
  /** Calls `send` once, or not at all: then the request fails. Must not reject. `signal`: the page has ended. */
  answer(
    request: PageRequest,
    send: (answer: PageAnswer) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void>
}

export interface PageLimits {
  /** From the call to its end. */
  readonly timeMsMax: number
  /** No request under way for so long: the page has what it needs. */
  readonly idleMs: number
  /** For what a reader would do: scroll, press "load more", play media. 0: the page is left alone. */
  readonly behaviourMsMax: number
  /** Windows scrolled down, to make the page load what it shows only then. */
  readonly scrollsMax: number
  readonly linksMax: number
  readonly textCharsMax: number
}

/** `settled`: it had all it asked for. `time`: it was cut off; what it showed until then is told. `crashed`: nothing is known of it. */
export type PageEnding = 'settled' | 'time' | 'crashed'

export interface ShownPage {
  readonly ending: PageEnding
  /** Of the document after its scripts; none when it could not be asked. */
  readonly links: readonly PageLink[]
  readonly text: string
  readonly title: string
  /** Pictures of the window, large and small, in JPEG; undefined when none could be taken. */
  readonly view?: Uint8Array | undefined
  readonly thumbnail?: Uint8Array | undefined
  /** The peer whose browser it was, where that is not ours. */
  readonly shownBy?: string | undefined
}

export interface PageLink {
  readonly href: string
  /** In one line. */
  readonly text: string
  readonly isNoFollow: boolean
}

export interface PageBrowser {
  /** Resolves when there is a browser, fetched if need be; rejects (BrowserError) when none can be had. Until then pages are shown by
   * none: `show` rejects. */
  ready(): Promise<void>
  show(page: PageToShow, signal?: AbortSignal): Promise<ShownPage>
  close(): Promise<void>
}

export const BrowserError = errorFamily({
  /** There is none on this machine. */
  'browser-missing': 'never',
  'browser-not-started': 'later',
})
export type BrowserError = InstanceType<typeof BrowserError>
