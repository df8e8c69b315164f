// Waits for what must come to be: for as long as the test may take.

export async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 500))
}
