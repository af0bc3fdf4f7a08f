/** Milliseconds that a test waits for one thing: longer than a busy machine needs. */
export const patience = 90_000;

/** The same for work of minutes: encoding a slide, or what a graphics processor does, in software. */
export const long = 3 * patience;

/** Milliseconds of a whole test, which waits for several things. */
export const whole = 4 * long;
