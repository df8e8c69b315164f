// Reading a page for search, as work for another thread: plain data in and out.

import { type AnalysedPage, analysePage } from './analysed-page.ts'
import { type PayloadToRead, textOfPayload } from './page-text.ts'

export interface TextWork extends PayloadToRead {
  readonly href: string
  readonly anchors: readonly string[]
}

export async function readForSearch({ href, anchors, ...payload }: TextWork): Promise<AnalysedPage> {
  return analysePage({ href, type: payload.type, text: await textOfPayload(payload), anchors })
}
