// For bundles whose memory or start counts: V8 keeps and reads the source in two bytes a character if one of them needs two.

import type { Plugin } from 'vite'

export function asciiSource(): Plugin {
  const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return {
    name: 'ascii-source',
    generateBundle: (_options, files) => {
      for (const file of Object.values(files))
        if (file.type === 'chunk') file.code = file.code.replace(/[^\0-\x7f]/g, escaped)
    },
  }
}
