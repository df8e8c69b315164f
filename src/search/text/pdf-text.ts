// PDF text, by unpdf (pdf.js without what draws). A hostile file can make it run for ever or fill its memory: whoever calls this
// runs it in a thread that can be ended.

import { extractText, getDocumentProxy, getMeta } from 'unpdf'
import { type PageText, plainText } from './page-text.ts'

const pagesMax = 500
const titleCharsMax = 500

export async function textOfPdf(bytes: Uint8Array): Promise<PageText> {
  // It takes the memory that it is given.
  const document = await getDocumentProxy(Uint8Array.from(bytes))
  try {
    const { text } = await extractText(document, { mergePages: false })
    const page = plainText(text.slice(0, pagesMax).join('\n'))
    const { info } = await getMeta(document)
    const title = typeof info?.Title === 'string' ? info.Title.replace(/\s+/g, ' ').trim() : ''
    return title === '' ? page : { ...page, title: title.slice(0, titleCharsMax) }
  } finally {
    await document.loadingTask.destroy()
  }
}
