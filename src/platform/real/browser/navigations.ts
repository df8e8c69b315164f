// Marks the requests with which the window itself goes somewhere, so that whoever answers can tell them from frames.
//
// Browsers say what a request is for over https and on localhost only (Sec-Fetch-Dest); over http a page that goes elsewhere looks like a
// frame, and what was seen in the end would be another page. Only requests for documents are held up for that, and only for a moment.

import type { BrowserContext, CDPSession, Page } from 'playwright-core'

const destination = 'Sec-Fetch-Dest'

export async function markNavigations(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  session.on('Fetch.requestPaused', ({ requestId, frameId, request }) => {
    const isMarked = Object.keys(request.headers).some((name) => name.toLowerCase() === 'sec-fetch-dest')
    const isWindow = frameId === frameTree.frame.id && !isMarked
    goOn(session, requestId, isWindow ? { ...request.headers, [destination]: 'document' } : undefined)
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: 'http://*', resourceType: 'Document' }] })
}

function goOn(session: CDPSession, requestId: string, headers: Record<string, string> | undefined): void {
  const fields = headers && Object.entries(headers).map(([name, value]) => ({ name, value }))
  // A page that is over needs no answer.
  session.send('Fetch.continueRequest', { requestId, headers: fields }).catch(() => {})
}
