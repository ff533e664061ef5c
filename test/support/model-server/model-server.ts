/** The scripted model of `chat-service/testing`. */
export * from '../../../src/testing/scripted-model/model-server';
