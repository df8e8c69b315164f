import { defineConfig } from 'vitest/config'

// Real disks, sockets and processes are slow on a loaded machine: the limit only catches what hangs.
export default defineConfig({
  test: {
    include: ['{src,sim,bench,e2e,scripts}/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: ['default', './scripts/closing-line.ts'],
  },
})
