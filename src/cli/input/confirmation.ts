// A question on the terminal that only yes answers. Nobody is asked where there is no terminal: that means no.

import { createInterface } from 'node:readline/promises'

export async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) return false
  const dialogue = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return /^y(es)?$/i.test(await dialogue.question(`${question} [y/N] `))
  } finally {
    dialogue.close()
  }
}
