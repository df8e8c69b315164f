// Runs within one network namespace and does there what the test asks: fetches, and serves a small web. Started by router-world.ts.

import { createServer } from 'node:http'

export type AgentQuestion =
  | {
      readonly kind: 'fetch'
      readonly url: string
      readonly method: string
      readonly headers: Record<string, string>
      readonly body?: string | undefined
    }
  | {
      readonly kind: 'serve'
      readonly hosts: readonly string[]
      readonly port: number
      readonly pages: number
      readonly paddingBytes: number
    }
  | { readonly kind: 'arrivals' }

export type AgentAnswer =
  | { readonly status: number; readonly text: string }
  | { readonly arrivals: string[] }
  | { readonly error: string }

const arrivals: string[] = []

async function answer(question: AgentQuestion): Promise<AgentAnswer> {
  if (question.kind === 'arrivals') return { arrivals }
  if (question.kind === 'serve') return serve(question)
  const { url, method, headers, body } = question
  const signal = AbortSignal.timeout(120_000)
  const response = await fetch(url, { method, headers, signal, ...(body !== undefined && { body }) })
  return { status: response.status, text: await response.text() }
}

/** Each host has so many pages, which link to the next one and to the first of the next host. */
async function serve(plan: Extract<AgentQuestion, { kind: 'serve' }>): Promise<AgentAnswer> {
  const { hosts, port, pages, paddingBytes } = plan
  for (const [at, host] of hosts.entries()) {
    const next = `http://${hosts[(at + 1) % hosts.length]}:${port}/0`
    const server = createServer(({ url = '' }, response) => {
      arrivals.push(`http://${host}:${port}${url}`)
      const page = Number(url.slice(1))
      if (!/^\/\d+$/.test(url) || page >= pages) return void response.writeHead(404).end()
      const padding = `${host} ${page} `.repeat(Math.ceil(paddingBytes / 16))
      response.writeHead(200, { 'Content-Type': 'text/html' })
      response.end(
        `<title>${host} ${page}</title><a href="/${page + 1}">on</a><a href="${next}">over</a>${padding}`,
      )
    })
    await new Promise<void>((resolve) => server.listen(port, host, resolve))
  }
  return { status: 200, text: '' }
}

process.on('message', ({ id, question }: { id: number; question: AgentQuestion }) => {
  answer(question)
    .catch((error: unknown) => ({ error: String((error as Error).cause ?? error) }))
    .then((said) => process.send?.({ id, said }))
})
process.on('disconnect', () => process.exit())
