// Squares of many colours, on every site: `museum/colour/7.png` and `cdn/colour/7.png` differ.

import { picture, shared } from '../files.ts'
import type { Answers } from '../origin-web.ts'

const count = 130

export function colours(): Answers {
  const all = (site: string, blue: number) =>
    Array.from({ length: count }, (_, number) => {
      const channels = [(number * 37) % 200, (number * 91) % 200, blue]
      const colour = `#${channels.map((value) => value.toString(16).padStart(2, '0')).join('')}`
      return [`${site}/colour/${number}.png`, picture(colour, shared)]
    })
  return Object.fromEntries([...all('museum', 60), ...all('cdn', 170)])
}
