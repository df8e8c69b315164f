// A site of which members see more: a form to log in, a page that scripts fill with what only members are given.

import type { Handler, TestOrigin } from '../crawl/origin.ts'
import { startOrigin } from '../crawl/origin.ts'

/** What only members see; not to be found anywhere but in the archive of the profile. */
export const mark = 'Nightjar-7f3a91c2'
export const sessionValue = 'session-5b1e77d0'

const form = `<!doctype html><title>Log in</title><body style="margin:0">
<form action="/login" method="post"><input name="name" autofocus style="width:100vw;height:80vh;font-size:40px"></form>`
const inside = `<!doctype html><title>Inside</title><h1>Members</h1><div id="app"></div><script>
fetch('/' + 'like', { method: 'POST', body: 'x' }).catch(() => {})
fetch('/' + 'data.json').then((answer) => answer.json()).then(({ text }) => { app.textContent = text + (localStorage.theme ?? '') })
</script>`

const isMember = (cookie: string | undefined) => cookie?.includes(`member=${sessionValue}`) === true

export function startMemberSite(): Promise<TestOrigin> {
  const members =
    (type: string, body: string): Handler =>
    ({ headers }, response) => {
      if (isMember(headers.cookie)) response.writeHead(200, { 'Content-Type': type }).end(body)
      else response.writeHead(302, { Location: '/' }).end()
    }
  return startOrigin({
    '/': form,
    '/public': '<!doctype html><title>Public</title><p>For everybody.',
    '/login': (request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text) => (body += text))
      request.on('end', () => {
        const isKnown = new URLSearchParams(body).get('name') === 'ada'
        const cookie = `member=${sessionValue}; Path=/; HttpOnly; Max-Age=3600`
        response.writeHead(303, { Location: '/inside', ...(isKnown && { 'Set-Cookie': cookie }) }).end()
      })
    },
    '/inside': members(
      'text/html',
      `${inside}<p>${mark} in the page <a href="/more">more</a> <a href="/Log-Out">end</a>`,
    ),
    '/more': members('text/html', '<!doctype html><title>More</title>'),
    '/data.json': members('application/json', JSON.stringify({ text: `${mark} by script` })),
  })
}
