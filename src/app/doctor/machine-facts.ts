// What the doctor asks the machine itself: ports, open files.

import { access, constants, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'

/** How many files this process may have open. */
export async function filesMax(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'latin1').catch(() => '')
  const said = /^Max open files\s+(\d+|unlimited)/m.exec(limits)?.[1]
  if (said === undefined) return undefined
  return said === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(said)
}

/** Why nothing can be written there; undefined when it can. A folder that is not there yet is looked for further up. */
export async function writingProblem(
  folder: string,
  parentOf: (folder: string) => string,
): Promise<string | undefined> {
  for (let at = folder; ; at = parentOf(at)) {
    try {
      await access(at, constants.W_OK)
      return undefined
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code !== 'ENOENT' || parentOf(at) === at) return `${at} (${code})`
    }
  }
}

export function portUse(port: number, host: string | undefined): Promise<'free' | 'taken' | 'forbidden'> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'EACCES' ? 'forbidden' : 'taken'),
    )
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve('free')))
  })
}
