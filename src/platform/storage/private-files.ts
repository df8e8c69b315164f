// Small files for their owner's eyes only: keys, secrets, what a home remembers. Each is written whole or not at all, and what
// was written survives a power cut.

export interface PrivateFiles {
  /** undefined when it is not there. */
  read(path: string): Promise<Uint8Array | undefined>
  /** Makes the folder, too. With `once`, a file that is there stays as it is, and the answer is false. */
  write(path: string, content: string | Uint8Array, options?: { once?: boolean }): Promise<boolean>
  /** Closes a file to others again that a copy or a backup may have opened to them. */
  protect(path: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  /** A file, or a folder with all that is in it; does nothing where there is none. */
  remove(path: string): Promise<void>
}
