// What is wrong with a file that was opened, and what is to be known of one that could be.
export const read = {};
